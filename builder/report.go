package builder

import (
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/vectors/distance"
)

// report makes the result of the stages, and of completing short lists.
func (r *run) report(completing job.Counts) *Result {
	sum := r.State.Sums()
	sum.Add(completing)
	res := &Result{
		Rows: r.Source.Len(), Dim: r.Source.Dim(), Type: r.Source.Type().String(), K: r.listLength(),
		Metric: r.opts.Metric.String(), Method: Method(r.State.Method), Seed: r.opts.Seed,
		RequestedPairs: sum.Requested, Comparisons: sum.Evaluated, CacheHits: sum.Requested - sum.Evaluated,
		ControlPairs: r.State.Control, EffectiveRates: []float64{},
		Divisions: r.State.Count(job.DivisionStage), Rounds: r.State.Count(job.PropagationStage),
		Axes: r.Axes, PairCache: r.pairs.Form(r.Skip), Resumed: r.State.Runs - 1, Stop: r.State.Stop,
		BadRows: len(r.bad.Rows), Collapsed: r.Groups.Len(), Kernel: distance.Kernel(), Threads: r.opts.Threads,
		Plan: r.State.Expected, RevisedPlan: r.State.Revised,
	}
	if r.opts.Distance != nil {
		res.Metric = r.opts.Distance.Name
	}
	res.ScanRate = scanRate(sum.Evaluated, r.N())
	if r.Traits.Overlaps {
		res.Divisions = r.Goal.BallsDone(&r.State)
	}
	for _, st := range r.State.Stages {
		if st.Kind == job.DivisionStage && !r.Traits.Overlaps {
			res.EffectiveRates = append(res.EffectiveRates, st.Rate)
		}
	}
	return res
}

// scanRate is comparisons over all pairs of n rows.
func scanRate(comparisons int64, n int) float64 {
	if n < 2 {
		return 0
	}
	return float64(comparisons) / (float64(n) * float64(n-1) / 2)
}
