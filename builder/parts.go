package builder

import (
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
)

// The parts method: divisions into overlapping leaves on one level, all pairs in a
// leaf, and nothing in memory but a group of leaves (package parts). The entries that a group
// finds are a unit of the stage, kept by the store; before the next division the units
// are united with the lists so far, stripe of places after stripe, and at the end they
// become the graph. See the package comment.

// partsMethod is the method under way.
type partsMethod struct {
	*run
	group  groups.Group  // being solved
	folded uint32        // stages whose lists are in the fold
	units  []int         // of every stage since
	bounds points.Bounds // the last of every list folded
}

func (m *partsMethod) Forecast(s *plan.Shape) {
	m.CountCodes(s)
	s.Slack = int64(m.slack())
	s.Parts = plan.Parts{GroupRows: groups.GroupRows(groupBytes, m.groupRowBytes()), Chunk: m.ChunkRows() * s.RowBytes,
		Leaders: groups.Leaders(int(s.Rows), m.opts.K, job.Overlap), Ledger: m.Ledger.Limit, Stripe: int64(stripeBytes)}
}

func (m *partsMethod) Expected(aim *plan.Aim) (divisions int, rounds float64) {
	if m.opts.Recall > 0 {
		return aim.Parts(float64(aim.Rows) * job.Overlap / float64(groups.Leaders(int(aim.Rows), m.opts.K, job.Overlap))), 0
	}
	return plainParts * job.Overlap, 0
}

func (m *partsMethod) Settle() {}

func (m *partsMethod) slack() int {
	if m.CodesOrder() {
		return 0
	}
	return m.opts.planned().Slack
}

// Arrange leaves rows as they come.
func (m *partsMethod) Arrange(given *vectors.Rows, progress func(int)) ([]uint32, error) {
	return build.InputOrder(given.Len()), nil
}

func (m *partsMethod) Resume() error { return m.loadFolded() }

func (m *partsMethod) Prepare() error { return m.Sight(m.candidatesInParts) }

// Next has divisions until the recall is reached.
func (m *partsMethod) Next() (kind, stop string) { return nextParts(&m.Goal, &m.State) }

// nextParts decides on counts and on the recall of the rows that steer alone.
func nextParts(g *job.Goal, s *job.State) (kind, stop string) {
	if stop := g.Enough(s); stop != "" {
		return "", stop
	}
	kind, stop = moreParts(g, s)
	return g.OrTurn(s, kind, stop)
}

// moreParts decides where recall does not suffice.
func moreParts(g *job.Goal, s *job.State) (kind, stop string) {
	done, most := g.BallsDone(s), g.MostDivisions(s)
	switch {
	case g.Divisions > 0:
		most = g.Divisions
	case g.Recall == 0:
		most = plainParts * job.Overlap
	}
	switch {
	case done < most:
		return job.DivisionStage, ""
	case g.Steered(s):
		return "", fmt.Sprintf("nothing more to do within %d leaves a row: recall %.3f on %d steering rows, target %.3f",
			done, s.Last().Recall, s.Steer, g.Recall)
	}
	return "", fmt.Sprintf("each row in %d leaves", done)
}

func (m *partsMethod) Writes(string) (stored, scratch int64, err error) {
	if !m.foldDue() {
		return m.FirstLists(), m.spillBytes(), nil
	}
	return 0, m.spillBytes(), m.RoomForFold(m.N(), m.K) // before anything is given back
}

func (m *partsMethod) Stage(kind string) error {
	switch kind {
	case job.KeysStage:
		return m.goKeyed()
	case job.ListsStage:
		return m.goExact()
	}
	return m.divideParts()
}

func (m *partsMethod) Finish() error { return nil }

func (m *partsMethod) Free() {
	m.group.Free()
	m.bounds.Free()
}

// plainParts is how many divisions the parts method makes where nothing else says.
const plainParts = 2

// groupBytes is the memory of a group of leaves. Smaller groups share more of their
// rows with others, which are then read and written more often; larger ones only
// raise the least limit of memory.
var groupBytes int64 = 64 << 20 // a variable for tests

// partsSlack is how many candidates are kept beyond k where codes are not keys.
const partsSlack = 8

// partsK is the length of the lists of candidates in a group.
func (m *partsMethod) partsK(members int) int { return candidateCount(&m.Points, members, m.opts.K) }

// groupRowBytes is the memory of a row in a group.
func (m *partsMethod) groupRowBytes() int64 { return groupRowBytes(&m.Points, m.opts.K) }

// divideParts runs one division.
func (m *partsMethod) divideParts() error {
	if err := m.foldParts(); err != nil {
		return err
	}
	number := m.State.Count(job.DivisionStage) + 1
	leaves, err := m.assign(number)
	if err != nil {
		return err
	}
	defer leaves.Free()
	defer m.roomForGroups()()
	done, sum, err := m.Committed(leaves.Groups())
	if err != nil {
		return err
	}
	p := m.Begin(fmt.Sprintf("division %d", number), "groups", int64(leaves.Groups()))
	for _, batch := range leaves.Batches(int64(plan.Spilled * float64(m.N()*m.src.Dim()*m.src.Type().Size()))) {
		counts, err := m.doBatch(leaves, batch, done, p)
		if err != nil {
			return err
		}
		sum.Add(counts)
	}
	st := job.Stage{Kind: job.DivisionStage, Number: number, Requested: sum.Requested, Evaluated: sum.Evaluated}
	if m.Steer != nil {
		if st.Recall, st.Margin, err = m.steeredParts(); err != nil {
			return err
		}
	}
	m.State.Stages = append(m.State.Stages, st)
	err = m.Save()
	p.End("division %d: each row in %d of %d leaves, %.0f pairs a row%s", number, leaves.Overlap, leaves.Leaders,
		float64(sum.Requested)/float64(m.N()), m.SteerNote())
	return err
}

// roomForGroups gives the ledger the memory of groups, until done.
func (m *partsMethod) roomForGroups() (done func()) {
	m.Ledger.Limit = m.groupsRoom()
	return func() {
		m.group.Free()
		m.Ledger.Limit = m.partsRoom()
	}
}

// assign divides all rows.
func (m *partsMethod) assign(number int) (*groups.Leaves, error) {
	rounding, err := m.Rounding(m.Rows)
	if err != nil {
		return nil, err
	}
	p := m.Begin(fmt.Sprintf("leaders %d", number), "rows", int64(m.N()))
	defer p.End("")
	lap := m.Goal.OverlapOf(number)
	d := groups.Division{
		Rows: m.Rows, Space: m.Space, Rounding: rounding, Seed: m.opts.Seed, Number: uint32(number),
		Overlap: lap, Leaders: groups.Leaders(m.N(), m.opts.K, lap), GroupBytes: groupBytes, RowBytes: m.groupRowBytes(),
		Threads: m.opts.Threads, Memory: &m.Ledger, Progress: p.Add,
	}
	if m.State.ByKeys() {
		return m.assignByPlanes(d)
	}
	return groups.Divide(m.Ctx, d)
}

// doBatch does the groups of a batch that are not done. One is solved while the one before it
// is committed and the one after it comes from disk.
func (m *partsMethod) doBatch(leaves *groups.Leaves, batch groups.Batch, done []bool, p *phase) (sum job.Counts, err error) {
	if !slices.Contains(done[batch.From:batch.To], false) {
		p.Add(batch.To - batch.From)
		return sum, nil
	}
	scratch, err := m.Draft.ScratchDir()
	if err != nil {
		return sum, err
	}
	spill, err := leaves.Spill(m.Ctx, batch, scratch)
	if err != nil {
		return sum, err
	}
	defer spill.Close() // it has no name: what it held is gone with it
	m.Holds(spill)
	defer m.Holds(nil)
	line, err := newPipeline(m, spill, p)
	if err != nil {
		return sum, err
	}
	for g := batch.From; g < batch.To && err == nil; g++ {
		if done[g] {
			p.Add(1)
			continue
		}
		next := g + 1
		for next < batch.To && done[next] {
			next++
		}
		err = line.solve(g, next)
	}
	err = line.end(err)
	return line.sum, err
}
