package builder

import (
	"context"

	"github.com/knng/knng/builder/internal/arrange"
	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/choose"
	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/forecast"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/output"
	"github.com/knng/knng/builder/internal/pairs"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/vectors/distance"
)

// run is one call of Build: the recorded state, and all that is derived from it in memory.
type run struct {
	build.Build
	*request

	// The passes, in their order, and the data that they share.
	audit    audit.Audit
	groups   copies.Groups
	chooser  choose.Chooser
	cost     forecast.Forecast
	rows     arrange.Rows
	pairs    *pairs.Pairs
	controls controls.Controls
	out      output.Output
}

// newRun returns a run of a request.
func newRun(ctx context.Context, o *request) (*run, error) {
	space, err := distance.New(o.opts.Metric, o.compared.Type(), o.compared.Dim())
	if err != nil {
		return nil, err
	}
	r := &run{request: o}
	b, opts := &r.Build, &o.opts
	b.Source = o.compared
	b.Set = build.Settings{K: opts.K, Spare: opts.Spare, LeafSize: opts.LeafSize, Seed: opts.Seed, Recall: opts.Recall, Reference: opts.Reference,
		AllAxes: opts.Balls.AllAxes, Sample: opts.Paper.Sample, Random: opts.Paper.Directions == Random}
	b.Job = job.Job{Ctx: ctx, Threads: opts.Threads, OnEvent: opts.Progress, Then: opts.Then, Goal: opts.goal()}
	b.Points = points.Points{Space: space, Threads: opts.Threads}
	b.Fit = b.Rounding
	b.Open = r.open

	r.audit = audit.Audit{Build: b, Options: opts.audit()}
	r.chooser = choose.Chooser{Build: b, Options: opts.choice()}
	r.cost = forecast.Forecast{Build: b, Groups: &r.groups, Chooser: &r.chooser, Options: forecast.Options{Limit: opts.Memory, Held: opts.Held,
		Visits: opts.Paper.Visits, Switch: opts.planned().Switch, Collapse: opts.Duplicates == Collapse}}
	r.rows = arrange.Rows{Build: b, Groups: &r.groups, Given: o.given, Audited: r.audit.OfAll}
	r.pairs = pairs.New((*pairs.Distance)(opts.Distance), opts.PairCache == On, opts.PairCache == Off)
	if opts.Distance != nil {
		b.Own = func() leaf.Keys { return r.pairs.Keys(b) }
	}
	r.controls = controls.Controls{Build: b, Groups: &r.groups, Visits: opts.Paper.Visits, Most: opts.Copies}
	r.out = output.Output{Build: b, Controls: &r.controls, Groups: &r.groups, Most: opts.Copies}
	b.Foresee, b.Widen, b.Join = r.cost.Foresee, r.controls.Widen, r.controls.Join
	b.Remember = func() error { return r.pairs.Choose(b) }
	return r, nil
}

// release frees all that the run holds besides the draft.
func (r *run) release() {
	r.out.Free()
	r.pairs.Close()
	if r.Rows != nil && !r.opts.Reference {
		r.Rows.Close()
	}
	r.audit.Free()
	if r.Method != nil {
		r.Method.Free()
	}
	if r.Lists != nil {
		r.Lists.Free()
	}
}
