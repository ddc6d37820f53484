package builder

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/knng/knng/builder/internal/calibrate"
	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// calibrationTime is how long Plan measures the machine at most.
var calibrationTime = time.Second // a variable for tests

// leastCalibration is how long it measures for a short build: 2.5 ms for each thing and twice
// that for leaves. Half of it would be of the first touches of memory, and more is felt by
// whoever asks for a plan. Such a build is over before an error of some tens of per cent matters.
const leastCalibration = 20 * time.Millisecond

// plannedShare is the part of the predicted time that Plan measures for, which a build takes
// again: 40 ms for SIFT 1M, the whole second for a build of 8 minutes. A disturbance of some
// milliseconds then weighs little.
const plannedShare = 0.002

// calibrationShare is the part of a build's own time that it may measure for, which decides
// nothing: 100 ms of a SIFT 1M build, 15 for each thing that is measured.
const calibrationShare = 0.01

// measuredFrom is how many seconds a build takes, by nominal rates, from which it
// measures the machine. A shorter build pays nothing: its time is told by nominal rates,
// which may be some times off on another machine, and it is over before that matters.
const measuredFrom = 8

// Plan predicts the cost of a build of src with these options: its passes, memory,
// disk, bytes read and written, and time, for which it measures this machine for 20 ms to a
// second, by the length of the build, and writes files without names in opts.Scratch (the
// system's folder for temporary files, if ""). It reads some two thousand rows. Where recall steers the
// build, divisions and rounds are guessed from the rows' intrinsic dimension; bad rows,
// and copies that will collapse, are counted as if they were neither. src stays open
// and belongs to the caller. Errors: those of the options and of reading; ctx's.
func Plan(ctx context.Context, src *vectors.Input, opts Options) (*plan.Plan, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	opts = opts.withDefaults()
	given := src
	src, _, err := input.Scaled("", given, opts.input())
	if err != nil {
		return nil, err
	}
	space, err := distance.New(opts.Metric, src.Type(), src.Dim())
	if err != nil {
		return nil, err
	}
	r := newRun(ctx, opts, src, space)
	r.Scratch, r.given = opts.Scratch, given
	defer r.release()
	r.Received.Store(given.Received())
	var p *plan.Plan
	r.Ledger.Limit, r.Ledger.Dir = r.partsRoom(), opts.Scratch
	err = vectors.Guard(func() (err error) {
		if err = r.bad.Every(&r.Build, r.src); err != nil {
			return err
		}
		method, err := r.choose()
		if err != nil {
			return err
		}
		r.take(method)
		if p, err = r.makePlan(planBudget); err == nil {
			p.LimitBytes, p.LeastBytes = r.limit(), r.least(method)
		}
		return err
	})
	return p, err
}

// planBudget is how long Plan measures the machine for a build.
func planBudget(nominal *plan.Plan) time.Duration {
	share := time.Duration(plannedShare * nominal.Seconds * float64(time.Second))
	return min(calibrationTime, max(share, leastCalibration))
}

// makePlan plans the build, and its time where budget has some for measuring the machine.
func (r *run) makePlan(budget func(nominal *plan.Plan) time.Duration) (*plan.Plan, error) {
	g, err := r.Sampled(r.src)
	if err != nil {
		return nil, err
	}
	shape := r.shape(Method(r.State.Method))
	intrinsic := 0.0
	if r.opts.Recall > 0 { // which is all that it is for
		if intrinsic, err = calibrate.IntrinsicDim(r.Ctx, g); err != nil {
			return nil, err
		}
	}
	shape.Divisions, shape.Rounds = r.expected(intrinsic)
	p := plan.Of(shape, plan.Nominal(shape, 1))
	if r.opts.Distance != nil { // whose time nobody knows
		return p.Untimed(), nil
	}
	most := budget(p)
	if most == 0 || g.K == 0 {
		return plan.Of(shape, plan.Nominal(shape, job.FreeShare(r.opts.Threads))), nil
	}
	m := &calibrate.Machine{Ctx: r.Ctx, Threads: r.opts.Threads, Scratch: r.Scratch}
	rates, err := m.Measure(g, int(shape.Slack), plan.Nominal(shape, 1), most, p.WrittenBytes/50)
	if err != nil {
		return nil, err
	}
	r.rates = &rates
	p = plan.Of(shape, rates)
	p.Rates = &rates
	return p, nil
}

// shape gathers the counts that a plan is made of, but for divisions and rounds. Before
// the audit all rows count as good.
func (r *run) shape(method Method) plan.Shape {
	o, rows, outputs := &r.opts, int64(len(r.Good)), int64(r.outputRows())
	if r.Good == nil {
		rows = outputs
	}
	s := plan.Shape{
		Method: string(method), Rows: rows, Copies: int64(r.Groups.Len()), Outputs: outputs, Dim: r.src.Dim(),
		RowBytes: int64(r.src.Dim() * r.src.Type().Size()), KeyCodes: r.BytesAreKeys(), Norms: o.zeroIsBad(),
		K: min(int64(o.K), rows-1), LeafSize: o.LeafSize, Overlap: job.Overlap, Visits: o.Visits, Recall: o.Recall,
		Received: r.Received.Load(), Reference: o.Reference, Collapse: o.Duplicates == Collapse, Threads: o.Threads,
	}
	if _, mapped := r.src.Mapped(); !methods[method].inOrder {
		s.Spooled = !o.Reference && (!mapped || len(r.Good) != r.src.Len())
	}
	methods[method].open(r).Forecast(&s)
	return s
}

// expected is the divisions, or leaves that a row stands in, and the rounds: as asked,
// as they are where nothing steers, or guessed.
func (r *run) expected(intrinsic float64) (divisions int, rounds float64) {
	o := &r.opts
	divisions, rounds = r.method.Expected(&plan.Aim{Recall: o.Recall, Switch: o.planned().Switch, Rows: int64(len(r.Good)),
		Intrinsic: intrinsic, Overlap: job.Overlap, LeafSize: o.LeafSize, Most: MaxDivisions})
	if r.traits.complete {
		return divisions, rounds
	}
	if o.Divisions > 0 {
		divisions = o.Divisions
	}
	if o.Rounds > 0 && r.traits.rounds {
		rounds = float64(o.Rounds)
	}
	if o.Propagation == Off {
		rounds = 0
	}
	return divisions, rounds
}

// expect plans the build at its head, and tells. A build that goes on has its plan.
func (r *run) expect() error {
	if r.State.Expected != nil || r.State.Rows > 0 {
		return nil
	}
	method, err := r.choose()
	if err != nil {
		return err
	}
	r.take(method)
	p, err := r.makePlan(func(nominal *plan.Plan) time.Duration {
		if nominal.Seconds < measuredFrom {
			return 0
		}
		share := time.Duration(calibrationShare * nominal.Seconds * float64(time.Second))
		return min(share, calibrationTime)
	})
	if err != nil {
		return err
	}
	r.State.Expected = p
	r.Expects(p)
	if names := r.opts.unused(Method(r.State.Method)); len(names) > 0 {
		r.Say("method %s has no use for: %s", r.State.Method, strings.Join(names, ", "))
	}
	for _, line := range p.Lines() {
		r.Say("plan: %s", line)
	}
	return nil
}

// expectMore plans anew where the next stage is one more than was planned.
func (r *run) expectMore(kind string) {
	before := r.State.Revised
	if before == nil {
		before = r.State.Expected
	}
	if before == nil || kind == job.ExactStage {
		return
	}
	divisions, rounds := r.State.Count(job.DivisionStage), float64(r.State.Count(job.PropagationStage))
	if r.traits.overlaps {
		divisions = r.Goal.BallsDone(&r.State)
	}
	switch kind {
	case job.DivisionStage:
		divisions++ // or as many leaves as an overlap has
		if r.traits.overlaps {
			divisions += r.Goal.OverlapOf(r.State.Count(job.DivisionStage)+1) - 1
		}
	case job.PropagationStage:
		rounds++
	}
	if divisions <= before.Divisions && rounds <= math.Ceil(before.Rounds) {
		return
	}
	s := r.shape(Method(r.State.Method))
	s.Divisions, s.Rounds = max(divisions, before.Divisions), max(rounds, before.Rounds)
	rates := plan.Nominal(s, job.FreeShare(r.opts.Threads))
	if r.rates != nil {
		rates = *r.rates
	}
	p := plan.Of(s, rates)
	r.State.Revised = p
	r.Expects(p)
	r.Say("plan: recall asks for more: %s", strings.Join(p.Lines(), "; "))
}
