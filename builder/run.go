package builder

import (
	"context"

	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/choose"
	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/forecast"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/pairs"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// run is one call of Build: the state as recorded, and everything derived from
// it that lives in memory.
type run struct {
	build.Build
	opts  Options
	given *vectors.Input // Source before bad rows were dropped

	bad audit.Audit
	copies.Groups

	chooser choose.Chooser
	cost    *forecast.Forecast
	pairs   *pairs.Pairs
}

func newRun(ctx context.Context, opts Options, src *vectors.Input, space *distance.Space) *run {
	r := &run{opts: opts, given: src}
	r.Source = src
	r.Set = build.Settings{K: opts.K, LeafSize: opts.LeafSize, Seed: opts.Seed, Recall: opts.Recall, Reference: opts.Reference,
		AllAxes: opts.Balls.AllAxes, Sample: opts.Paper.Sample, Random: opts.Paper.Directions == Random}
	r.ExactInstead, r.Widen = r.takeExact, r.controls().Widen
	r.Job = job.Job{Ctx: ctx, Threads: opts.Threads, OnEvent: opts.Progress, Then: opts.Then,
		Goal: job.Goal{Recall: opts.Recall, Divisions: opts.Divisions, Rounds: opts.Rounds, Propagate: opts.Propagation == On,
			Screened: opts.Distance == nil && opts.Metric.Coded()}}
	r.Points = points.Points{Space: space, Threads: opts.Threads}
	r.Fit = r.Rounding
	var own *pairs.Distance
	if opts.Distance != nil {
		own = (*pairs.Distance)(opts.Distance)
		r.Own = func() leaf.Keys { return r.pairs.Keys(&r.Build) }
	}
	r.pairs = pairs.New(own, opts.PairCache == On, opts.PairCache == Off)
	r.chooser.Options = opts.choice()
	r.cost = &forecast.Forecast{Build: &r.Build, Groups: &r.Groups, Options: forecast.Options{Limit: opts.limit(), Visits: opts.Paper.Visits,
		Switch: opts.planned().Switch, Propagate: opts.Propagation != Off, Collapse: opts.Duplicates == Collapse,
		Divisible: r.chooser.Divisible(), Open: r.open}}
	r.Foresee = r.cost.Foresee
	return r
}

// open returns a method on the build.
func (r *run) open(name string) (build.Method, build.Traits) {
	m := methods[Method(name)]
	return m.open(r), m.Traits
}

// choose settles auto, and makes the method that of the build.
func (r *run) choose() error {
	method, err := r.chooser.Choose(r.Source, r.Good)
	if err == nil {
		r.take(Method(method))
	}
	return err
}

// controls finds exact lists of some rows.
func (r *run) controls() *controls.Controls {
	return &controls.Controls{Build: &r.Build, Visits: r.opts.Paper.Visits}
}

// take makes a method, by its name, that of the build.
func (r *run) take(name Method) {
	r.State.Method = string(name)
	r.Method, r.Traits = r.open(r.State.Method)
	r.Goal.Propagate = r.Goal.Propagate && r.Traits.Rounds
	r.Use = r.Traits.Codes
}

// takeExact goes over to the exact method, which takes up the lists on disk, and gives back the
// memory of the method before it.
func (r *run) takeExact() error {
	r.Method.Free()
	r.Screening = points.Screening{Use: r.Use, Fit: r.Fit}
	r.Keyed = false
	r.take(Exact)
	if err := r.Save(); err != nil {
		return err
	}
	if r.Norms == nil {
		var err error
		if r.Norms, err = r.NormsOf(r.Rows); err != nil {
			return err
		}
	}
	if err := r.Method.Resume(); err != nil {
		return err
	}
	return r.pairs.Choose(&r.Build)
}

// release frees all that the run holds besides the draft.
func (r *run) release() {
	r.pairs.Close()
	if r.Rows != nil && !r.opts.Reference {
		r.Rows.Close()
	}
	r.bad.Free()
	if r.Method != nil {
		r.Method.Free()
	}
	if r.Lists != nil {
		r.Lists.Free()
	}
}
