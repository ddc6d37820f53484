package forecast

import (
	"cmp"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors/distance"
)

// Foresee takes the time left from a plan for the stages that are to come, by the findings
// of those before them, and of the one under way (nil between stages). It decides nothing.
func (f *Forecast) Foresee(under *job.Stage) {
	m, foreseeing := f.Method.(build.Foreseeing)
	limited := f.Goal.Divisions > 0 || f.Goal.Rounds > 0 || !f.Propagate || f.Inner()
	if !foreseeing || limited || f.Steer == nil || f.State.Count(job.DivisionStage) == 0 {
		return
	}
	if f.State.Expected == nil || f.State.Expected.Seconds == 0 {
		return
	}
	f.Expects(f.planOf(m.Ahead(f.aim(0), under)).Found())
}

// planOf plans the build anew, for so many divisions and rounds in all.
func (f *Forecast) planOf(divisions int, rounds float64) *plan.Plan {
	s := f.timed()
	s.Divisions, s.Rounds = divisions, rounds
	rates := plan.Nominal(s, job.FreeShare(f.Job.Threads))
	if measured := cmp.Or(f.rates, f.State.Expected.Rates); measured != nil {
		rates = *measured
	}
	return plan.Of(s, rates)
}

// aim is the target of the build.
func (f *Forecast) aim(intrinsic float64) *plan.Aim {
	return &plan.Aim{Recall: f.Goal.Recall, Switch: f.Switch, Rows: int64(len(f.Good)),
		Intrinsic: intrinsic, Overlap: job.Overlap, LeafSize: f.Set.LeafSize, Most: job.MaxDivisions}
}

// timed is the shape of the build with this machine's kernel, for its time: the kernel decides
// nothing.
func (f *Forecast) timed() plan.Shape {
	s := f.shape(f.State.Method)
	s.Kernel = distance.Kernel()
	return s
}
