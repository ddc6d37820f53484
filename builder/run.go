package builder

import (
	"context"

	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/pairs"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// run is one call of Build: the state as recorded, and everything derived from
// it that lives in memory.
type run struct {
	build.Build
	opts  Options
	src   *vectors.Input
	given *vectors.Input // src before bad rows were dropped
	rates *plan.Rates    // of this machine; nil: not measured

	bad audit.Audit
	copies.Groups

	pairs      *pairs.Pairs
	method     build.Method
	traits     traits
	fewVisits  *bool      // of a search in a tree; nil: not measured
	completing job.Counts // of the final exact pass
}

func newRun(ctx context.Context, opts Options, src *vectors.Input, space *distance.Space) *run {
	r := &run{opts: opts, src: src, given: src}
	r.Set = build.Settings{K: opts.K, LeafSize: opts.LeafSize, Seed: opts.Seed, Recall: opts.Recall, Reference: opts.Reference,
		AllAxes: opts.Course.AllAxes, Sample: opts.Sample, Random: opts.Directions == Random}
	r.ExactInstead, r.Widen = r.takeExact, r.widen
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
	return r
}
