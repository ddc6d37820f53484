package forecast

import (
	"math"
	"strings"
	"sync"
	"time"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/calibrate"
	"github.com/knng/knng/builder/internal/choose"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors/offered"
)

// CalibrationTime is the longest time for which a plan measures the machine.
var CalibrationTime = time.Second // a variable for tests

// leastCalibration is the time of measuring for a short build: 2.5 ms for each quantity and twice that for
// leaves. Wrong if smaller: half of it would be first touches of memory. Wrong if larger: the user notices
// the wait, while an error of some tens of per cent does not matter for such a build.
const leastCalibration = 20 * time.Millisecond

// plannedShare is the time of measuring as a share of the predicted time, until the build measures again: 40
// ms for SIFT 1M, the whole second for a build of 8 minutes. A disturbance of some milliseconds then has
// little effect.
const plannedShare = 0.002

// calibrationShare is the share of a build's own time that it may measure for, which decides nothing: 50 ms
// of a SIFT 1M build, 7 ms for each quantity. Twice that was 2 % of the build.
const calibrationShare = 0.005

// measuredFrom is the time in seconds, by nominal rates, from which a build measures the machine. The time of
// a shorter build is forecast by nominal rates: they may be wrong by a factor on another machine, but the
// build is over before that matters.
const measuredFrom = 8

// A Forecast plans a build, and its memory.
type Forecast struct {
	*build.Build
	Groups  *copies.Groups
	Chooser *choose.Chooser
	Options
	rates *plan.Rates // of this machine; nil: not measured
	share float64     // share of the processors that was free when first asked for; 0: not yet asked for
}

// Options are the options of a build that only its plan reads.
type Options struct {
	Limit    int64   // bytes of memory that the build may take
	Visits   int     // of a row in propagation
	Switch   float64 // recall from which joins replace divisions
	Collapse bool    // equal rows collapse
	Held     int64   // bytes of memory that others hold for the build
}

// Ask plans a build that has not begun, by its method. It measures this machine for a part of the predicted
// time.
func (f *Forecast) Ask() (*plan.Plan, error) {
	p, _, err := f.make(Budget)
	if err == nil {
		p.LimitBytes, p.LeastBytes = f.Limit, f.least(f.State.Method)
	}
	return p, err
}

// Budget returns how long Ask measures the machine for a build.
func Budget(nominal *plan.Plan) time.Duration {
	share := time.Duration(plannedShare * nominal.Seconds * float64(time.Second))
	return min(CalibrationTime, max(share, leastCalibration))
}

// Begin plans the build at its start, and reports the plan.
func (f *Forecast) Begin() error {
	p, intrinsic, err := f.make(func(nominal *plan.Plan) time.Duration {
		if nominal.Seconds < measuredFrom {
			return 0
		}
		share := time.Duration(calibrationShare * nominal.Seconds * float64(time.Second))
		return min(share, CalibrationTime)
	})
	if err != nil {
		return err
	}
	f.State.Expected = p
	f.Expects(f.outset(p, intrinsic))
	for _, line := range p.Lines() {
		f.Say("plan: %s", line)
	}
	return nil
}

// make plans the build, with its time if budget allows time for measuring the machine. intrinsic is the
// intrinsic dimension of the rows, computed only for a target recall.
func (f *Forecast) make(budget func(nominal *plan.Plan) time.Duration) (p *plan.Plan, intrinsic float64, err error) {
	sampled := sync.OnceValues(f.Sampled)
	if f.Goal.Recall > 0 && !f.Traits.Complete { // only a target recall needs the dimension
		g, err := sampled()
		if err != nil {
			return nil, 0, err
		}
		if intrinsic, err = calibrate.IntrinsicDim(f.Ctx, g); err != nil {
			return nil, 0, err
		}
	}
	shape := f.timed()
	shape.Divisions, shape.Rounds = f.expected(f.aim(intrinsic))
	p = plan.Of(shape, plan.Nominal(shape, 1))
	if f.Own != nil { // the time of the user's own distance is unknown
		return p.Untimed(), intrinsic, nil
	}
	most := budget(p)
	if most == 0 || shape.K < 1 {
		return plan.Of(shape, f.nominal(shape)), intrinsic, nil
	}
	g, err := sampled()
	if err != nil {
		return nil, 0, err
	}
	m := &calibrate.Machine{Ctx: f.Ctx, Threads: f.Job.Threads, Scratch: f.Scratch}
	rates, err := m.Measure(g, int(shape.Slack), plan.Nominal(shape, 1), most, p.WrittenBytes/50)
	if err != nil {
		return nil, 0, err
	}
	f.rates = &rates
	p = plan.Of(shape, rates)
	p.Rates = &rates
	return p, intrinsic, nil
}

// nominal returns the rates of this machine without a measurement. It keeps the free share of the processors
// from its first call, since later the build itself uses them.
func (f *Forecast) nominal(s plan.Shape) plan.Rates {
	if f.share == 0 {
		f.share = job.FreeShare(f.Job.Threads)
	}
	return plan.Nominal(s, f.share)
}

// shape collects the counts of a plan, except divisions and rounds. Before the audit all rows count as good.
func (f *Forecast) shape(method string) plan.Shape {
	rows, outputs := int64(len(f.Good)), int64(f.Source.Len())
	if f.Good == nil {
		rows = outputs
	}
	m, traits := f.Open(method)
	s := plan.Shape{
		Method: method, Rows: rows, Copies: int64(f.Groups.Len()), Outputs: outputs, Dim: f.Source.Dim(),
		RowBytes: int64(f.Source.Dim() * f.Source.Type().Size()), KeyCodes: f.BytesAreKeys(), Norms: f.Own == nil && f.Space.Metric().ZeroIsBad(),
		K: min(int64(f.Set.K), rows-1), LeafSize: f.Set.LeafSize, Overlap: job.Overlap, Visits: f.Visits, Recall: f.Goal.Recall,
		Held: f.Held, Received: f.Received.Load(), Reference: f.Set.Reference, Collapse: f.Collapse, Threads: f.Job.Threads,
		LinksMemory: f.Limit / plan.LinksShare, SearchMemory: offered.Memory() / 2,
		Came: (traits.InOrder || f.Set.Reference) && f.Own == nil && f.Space.Metric().Gathers(),
	}
	if _, mapped := f.Source.Mapped(); !traits.InOrder {
		s.Spooled = !f.Set.Reference && (!mapped || len(f.Good) != f.Source.Len())
	}
	if e := f.State.Expected; e != nil {
		s.Outset = e.Divisions
	}
	m.Forecast(&s)
	return s
}

// expected returns the divisions, or the leaves of a row, and the rounds: from the options, else from the
// method, which guesses them for the aim.
func (f *Forecast) expected(aim *plan.Aim) (divisions int, rounds float64) {
	divisions, rounds = f.Method.Expected(aim)
	if f.Traits.Complete {
		return divisions, rounds
	}
	if f.Goal.Divisions > 0 {
		divisions = f.Goal.Divisions
	}
	if f.Goal.Rounds > 0 && f.Traits.Rounds {
		rounds = float64(f.Goal.Rounds)
	}
	if !f.Goal.Propagate {
		rounds = 0
	}
	return divisions, rounds
}

// More plans again if the next stage was not planned.
func (f *Forecast) More(kind string) {
	before := f.State.Revised
	if before == nil {
		before = f.State.Expected
	}
	if before == nil || kind == job.ExactStage {
		return
	}
	divisions, rounds := f.State.Count(job.DivisionStage), float64(f.State.Count(job.PropagationStage))
	if f.Traits.Overlaps {
		divisions = f.Goal.BallsDone(&f.State)
	}
	switch kind {
	case job.DivisionStage:
		divisions++ // or all leaves of a division that overlaps
		if f.Traits.Overlaps {
			divisions += f.Goal.Rest(f.shape(f.State.Method).Overlap, f.State.Count(job.DivisionStage)+1) - 1
		}
	case job.PropagationStage:
		rounds++
	}
	if divisions <= before.Divisions && rounds <= math.Ceil(before.Rounds) {
		return
	}
	p := f.planOf(max(divisions, before.Divisions), max(rounds, before.Rounds))
	f.State.Revised = p
	f.Expects(p.Alone())
	f.Say("plan: recall asks for more: %s", strings.Join(p.Lines(), "; "))
}
