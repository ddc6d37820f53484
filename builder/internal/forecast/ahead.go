package forecast

import (
	"cmp"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors/distance"
)

// Foresee updates the time left from plans for the stages to come, based on the results of earlier stages and
// of the current one (nil between stages). It decides nothing.
func (f *Forecast) Foresee(under *job.Stage) {
	m, foreseeing := f.Method.(build.Foreseeing)
	if !foreseeing || f.limited() || f.Steer == nil || f.State.Count(job.DivisionStage) == 0 {
		return
	}
	if f.State.Expected == nil || f.State.Expected.Seconds == 0 {
		return
	}
	stand, kind := m.Stand(under), f.timed().Kind
	f.Expects(f.outlook(plan.Basis{Aim: *f.aim(0), Stand: &stand}, func(aim *plan.Aim) (divisions int, rounds float64) {
		return aim.Ahead(kind, stand)
	}))
}

// limited reports whether the options, not recall, determine the number of stages.
func (f *Forecast) limited() bool {
	return f.Goal.Recall == 0 || f.Goal.Divisions > 0 || f.Goal.Rounds > 0 || f.Traits.Rounds && !f.Goal.Propagate || f.Traits.Complete || f.Inner()
}

// outset returns the outlook before the first stage, for the plan p.
func (f *Forecast) outset(p *plan.Plan, intrinsic float64) plan.Outlook {
	if f.limited() || p.Seconds == 0 {
		return p.Alone()
	}
	return f.outlook(plan.Basis{Aim: *f.aim(intrinsic)}, f.expected)
}

// outlook plans the build for three cases: the stages find as much as expected, less, or more.
func (f *Forecast) outlook(b plan.Basis, stages func(aim *plan.Aim) (divisions int, rounds float64)) (o plan.Outlook) {
	for _, way := range plan.Lucks {
		aim := b.Aim
		aim.Luck = way.Luck
		p := f.planOf(stages(&aim))
		p.Basis.Aim, p.Basis.Stand = aim, b.Stand
		o = append(o, plan.Way{Plan: p, Chance: way.Chance})
	}
	return o
}

// planOf plans the build for so many divisions and rounds in all.
func (f *Forecast) planOf(divisions int, rounds float64) *plan.Plan {
	s := f.timed()
	s.Divisions, s.Rounds = divisions, rounds
	rates := f.nominal(s)
	if measured := cmp.Or(f.rates, f.State.Expected.Rates); measured != nil {
		rates = *measured
	}
	return plan.Of(s, rates)
}

// aim returns the target of the build.
func (f *Forecast) aim(intrinsic float64) *plan.Aim {
	return &plan.Aim{Recall: f.Goal.Recall, Switch: f.Switch, Rows: int64(len(f.Good)),
		Intrinsic: intrinsic, Overlap: f.shape(f.State.Method).Overlap, LeafSize: f.Set.LeafSize, Most: job.MaxDivisions}
}

// timed returns the shape of the build with this machine's kernel, which matters only for the time.
func (f *Forecast) timed() plan.Shape {
	s := f.shape(f.State.Method)
	s.Kernel = distance.Kernel()
	return s
}
