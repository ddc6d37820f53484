package shards

import (
	"cmp"

	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors/distance"
)

// A Leg is a planned stage of a run, or several stages whose tasks form one wave. The time left of a run is
// that of the remaining legs.
type Leg struct {
	Stage    string  `json:"stage"`              // the first of them
	Division int     `json:"division,omitempty"` // from 1; 0: it belongs to none
	Tasks    int     `json:"tasks"`
	Seconds  float64 `json:"seconds"` // of all tasks on one core, at the nominal rates of package plan
	Chance   float64 `json:"chance"`  // probability that the run comes to it: recall may be reached before
}

// course lists the legs of a run in their order, finished ones included; none if there is nothing to compare.
func (s schedule) course() ([]Leg, error) {
	rows, err := s.known()
	if err != nil {
		return nil, err
	}
	ps := s.pointsOf(rows)
	if ps.K < 1 {
		return nil, nil
	}
	shape := s.shape(ps, rows)
	chances, err := s.chances(shape)
	if err != nil {
		return nil, err
	}
	first, both := s.legs(shape, 1), s.legs(shape, 2)
	g, course := s.goal(), []Leg(nil)
	add := func(division int, chance float64, stages [][]string) {
		for _, names := range stages {
			leg := Leg{Stage: names[0], Division: division, Chance: chance}
			for _, name := range names {
				of := first[name]
				if name == "lead" { // the last division may have fewer
					of.Tasks = s.leadTasks(rows, g.Rest(shape.Overlap, division))
				}
				if division > 1 {
					of.Seconds = max(0, both[name].Seconds-of.Seconds)
				}
				leg.Tasks += of.Tasks
				leg.Seconds += of.Seconds + taskSeconds*float64(of.Tasks)
			}
			course = append(course, leg)
		}
	}
	add(0, 1, readingStages)
	add(0, 1, s.samplingStages(ps))
	for i, chance := range chances {
		add(i+1, chance, divisionStages)
	}
	add(0, 1, reportingStages)
	add(0, 1, graphStages)
	return course, nil
}

// known returns how many rows get a list; before the audit, all.
func (s schedule) known() (int, error) {
	if there, err := s.has(Task{Stage: "settle"}, 1); err != nil || !there {
		return s.spec.Manifest.Rows, err
	}
	fixed, err := s.settled()
	if err != nil {
		return 0, err
	}
	return fixed.N, nil
}

// shape returns the shape of a build with the parts method, for plans.
func (s schedule) shape(ps *points.Points, rows int) plan.Shape {
	m := &s.spec.Manifest
	size := int64(s.space.RowBytes())
	g := s.goal()
	overlap := g.PartsOverlap(rows)
	return plan.Shape{Method: job.PartsMethod, Kind: plan.Groups, Rows: int64(rows), Outputs: int64(m.Rows), Dim: m.Dim, RowBytes: size,
		CodeBytes: ps.CodeBytes(1), ViewCodes: s.space.RowsAreCodes(), KeyCodes: ps.BytesAreKeys(), Norms: s.space.Metric().ZeroIsBad(),
		K: int64(ps.K), Slack: int64(solve.Candidates(ps, rows, m.K) - ps.K), Overlap: overlap, Recall: s.spec.Recall, Threads: 1, Kernel: distance.Kernel(),
		Parts: plan.Parts{GroupRows: groups.GroupRows(solve.BytesOfGroup(overlap), solve.RowBytes(ps, m.K, overlap)), Chunk: ps.ChunkRows() * size,
			Leaders: groups.Leaders(rows, m.K, overlap), Ledger: 1 << 40, Stripe: 32 << 20}}
}

// legs returns the stages by name for a run of so many divisions, each with its time over all divisions.
func (s schedule) legs(shape plan.Shape, divisions int) map[string]Leg {
	shape.Divisions = divisions * shape.Overlap
	p := plan.Of(shape, plan.Nominal(shape, 1))
	tasks := s.spec.tasks(p)
	legs := map[string]Leg{}
	for name := range kinds {
		legs[name] = Leg{Tasks: max(1, tasks[name])}
	}
	for _, stage := range p.Stages() {
		leg := legs[stage.Name]
		leg.Seconds = stage.CPUSeconds
		legs[stage.Name] = leg
	}
	return legs
}

// chances returns the probability of each division: 1 for those that are done or begun.
func (s schedule) chances(shape plan.Shape) ([]float64, error) {
	begun, d, err := s.decided()
	if err != nil {
		return nil, err
	}
	if d == nil || d.Stop == "" { // the next one is under way
		begun++
	}
	var chances []float64
	for _, way := range plan.Lucks {
		count := max(begun, (s.leavesAhead(shape, d, way.Luck)+shape.Overlap-1)/shape.Overlap)
		for len(chances) < count {
			chances = append(chances, 0)
		}
		for i := range count {
			chances[i] += way.Chance
		}
	}
	return chances, nil
}

// leavesAhead returns the expected number of leaves of a row at the end of the run, after decision d, or
// before the first (nil).
func (s schedule) leavesAhead(shape plan.Shape, d *decision, luck float64) (leaves int) {
	g := s.goal()
	aim := plan.Aim{Recall: s.spec.Recall, Rows: shape.Rows, Overlap: shape.Overlap, Most: job.MaxDivisions, Luck: luck}
	switch {
	case d != nil && d.Stop != "":
		return g.BallsDone(&d.State)
	case s.spec.Recall == 0:
		return cmp.Or(s.spec.Divisions, job.PlainParts*job.Overlap)
	case d == nil:
		leaves = aim.Parts(float64(shape.Rows) * float64(shape.Overlap) / float64(shape.Parts.Leaders))
	default:
		leaves, _ = aim.Ahead(plan.Groups, g.Stand(&d.State, nil, 1))
	}
	if s.spec.Divisions > 0 {
		leaves = min(leaves, s.spec.Divisions)
	}
	return leaves
}

// decided returns how many divisions have a decision, and the last decision; nil if there is none.
func (s schedule) decided() (number int, d *decision, err error) {
	for ; number < job.MaxDivisions; number++ {
		if there, err := s.has(Task{"decide", number + 1, 0}, 1); err != nil {
			return 0, nil, err
		} else if !there {
			break
		}
	}
	if number == 0 {
		return 0, nil, nil
	}
	d, err = s.decision(number)
	return number, d, err
}
