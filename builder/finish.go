package builder

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/output"
	"github.com/knng/knng/builder/recall"
)

// finish makes the graph of the lists, and seals it.
func (r *run) finish() (result *Result, err error) {
	out := &output.Output{Build: &r.Build, Rows: r.Source.Len(), K: r.listLength(), Groups: &r.Groups, Most: r.opts.Copies}
	if err := out.Room(); err != nil {
		return nil, err
	}
	if m, onDisk := r.Method.(build.OnDisk); onDisk && r.K > 0 {
		result, err = r.writeOnDisk(m)
	} else {
		result, err = r.write(out)
	}
	if err != nil {
		return nil, err
	}
	return result, r.seal(result)
}

// write completes short lists, writes the adjacency, and measures.
func (r *run) write(out *output.Output) (*Result, error) {
	if r.K > 0 {
		if err := r.Method.Finish(); err != nil {
			return nil, err
		}
	}
	completed, counts, err := out.Complete()
	if err != nil {
		return nil, err
	}
	if err := out.WriteAdjacency(); err != nil {
		return nil, err
	}
	result := r.report(counts)
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
	result.Checksum = made.Sum
	return result, made.Err
}

// writeOnDisk does the same where no more lists than a few are in memory at a time.
func (r *run) writeOnDisk(m build.OnDisk) (*Result, error) {
	result := r.report(job.Counts{})
	m.Release()
	truth, compared, err := r.controls().Report(result.RequestedPairs)
	if err != nil {
		return nil, err
	}
	result.ControlPairs += compared
	written, err := m.Write(r.Source.Len(), truth.Places)
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
	return result, err
}

// measure reports recall on rows that steered nothing. Exact graphs need none.
func (r *run) measure(result *Result) error {
	result.Recall = RecallEstimate{Recall: 1, Low: 1, High: 1, Seed: r.opts.Seed}
	if r.K == 0 || r.Traits.Complete && !r.State.Cut() {
		return nil
	}
	truth, compared, err := r.controls().Report(result.RequestedPairs)
	if err != nil {
		return err
	}
	result.ControlPairs += compared
	r.tellRecall(result, truth, r.Lists.List)
	return nil
}

// tellRecall compares the lists of the rows that report with their exact ones.
func (r *run) tellRecall(result *Result, truth *recall.Lists, listOf func(place uint32) ([]uint32, []float32)) {
	per := build.PerRow(truth, listOf)
	mean, low, high := recall.Interval(per, r.N(), 1)
	result.Recall = RecallEstimate{Recall: mean, Low: low, High: high, Sample: len(per), Seed: r.opts.Seed}
	r.Say("recall %.4f (95 %% interval %.4f to %.4f, %d rows)", mean, low, high, len(per))
}

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
