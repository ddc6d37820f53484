package builder

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/output"
	"github.com/knng/knng/vectors/distance"
)

// finish completes short lists, writes the adjacency, measures, and seals.
func (r *run) finish() (*Result, error) {
	out := &output.Output{Build: &r.Build, Rows: r.outputRows(), K: r.listLength(), Groups: &r.Groups, Most: r.opts.Copies}
	completed, counts, err := out.Complete()
	if err != nil {
		return nil, err
	}
	r.completing = counts
	if err := out.WriteAdjacency(); err != nil {
		return nil, err
	}
	result := r.report()
	result.Completed = completed
	sum := out.Checksum()
	if err := r.measure(result); err != nil {
		<-sum // it reads the store
		return nil, err
	}
	result.Components = out.Components()
	p := r.Begin("checksum", "", 0)
	made := <-sum
	p.End("")
	if made.Err != nil {
		return nil, made.Err
	}
	result.Checksum = made.Sum
	return result, r.seal(result)
}

// finishOnDisk does the same where no more lists than a few are in memory at a time.
func (r *run) finishOnDisk(m build.OnDisk) (*Result, error) {
	result := r.report()
	m.Release()
	truth, err := r.reportTruth(result)
	if err != nil {
		return nil, err
	}
	written, err := m.Write(r.outputRows(), truth.Places)
	if err != nil {
		return nil, err
	}
	result.Completed = written.Completed
	result.RequestedPairs += written.Counts.Requested
	result.Comparisons += written.Counts.Evaluated
	result.ScanRate = scanRate(result.Comparisons, r.N())
	result.Components = written.Components
	r.tellRecall(result, truth, written.List)
	p := r.Begin("checksum", "", 0)
	result.Checksum, err = r.Draft.Checksum(r.Ctx)
	p.End("")
	if err != nil {
		return nil, err
	}
	return result, r.seal(result)
}

// outputRows is how many rows the store has: isolated ones included, dropped
// ones not.
func (r *run) outputRows() int { return r.Source.Len() }

// listLength is the length of the lists of the finished graph.
func (r *run) listLength() int { return min(r.opts.K, r.N()+r.Groups.Len()-1) }

// seal stores the result and seals the store.
func (r *run) seal(result *Result) error {
	result.judge(&r.Build)
	p := r.Begin("seal", "", 0)
	if err := r.Save(); err != nil {
		return err
	}
	u := r.State.Usage
	result.Seconds, result.CPUSeconds = u.Seconds, u.CPUSeconds
	result.PeakAnonBytes, result.PeakRSSBytes, result.PeakDiskBytes = u.PeakAnon, u.PeakRSS, u.PeakDisk
	result.ReadBytes, result.WrittenBytes = u.ReadBytes, u.Written
	result.Phases = r.State.Phases
	err := r.Draft.Seal(r.Ctx, result)
	p.End("")
	return err
}

// scanRate is comparisons over all pairs of n rows.
func scanRate(comparisons int64, n int) float64 {
	if n < 2 {
		return 0
	}
	return float64(comparisons) / (float64(n) * float64(n-1) / 2)
}

// report makes the result from the state.
func (r *run) report() *Result {
	sum := r.State.Sums()
	sum.Add(r.completing)
	res := &Result{
		Rows: r.outputRows(), Dim: r.Source.Dim(), Type: r.Source.Type().String(), K: r.listLength(),
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
