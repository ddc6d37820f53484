package larger

import (
	"fmt"
	"io"
	"slices"

	"github.com/knng/knng/bench/capped"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// Header begins a table of Print.
func Header(w io.Writer) {
	fmt.Fprintln(w, "| run | rows | cap, MiB | s | CPU s | anon, MiB | RSS, MiB | with page cache, MiB | read, GiB | x rows | written, GiB | disk, GiB | major faults | swap, MiB | recall (low) | checksum | outcome |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
}

// Print prints a run as a line of a Markdown table. "x rows" are the bytes read
// over those of the rows.
func Print(w io.Writer, r Run) {
	o := r.Outcome
	how, failed := o.Failed()
	if !failed {
		how = "finished"
	}
	recall := "-"
	if r.Recall != nil {
		recall = fmt.Sprintf("%.4f (%.4f)", r.Recall.Recall, r.Recall.Low)
	}
	fmt.Fprintf(w, "| %s | %d | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f | %.2f | %.2f | %d | %.1f | %s | %.12s | %s |\n",
		r.Side, r.Rows, r.limit(), o.Seconds, o.CPUSeconds, float64(o.PeakAnon)/mib, float64(o.PeakRSS)/mib, float64(o.PeakUsage)/mib,
		float64(o.ReadBytes)/gib, r.perRows(o.ReadBytes), float64(o.WrittenBytes)/gib, float64(o.PeakDisk)/gib,
		o.MajorFaults, float64(o.PeakSwap)/mib, recall, r.checksum(), how)
}

// limit is the cap in MiB.
func (r *Run) limit() string {
	if r.Cap == 0 {
		return "none"
	}
	return fmt.Sprint(r.Cap / mib)
}

// perRows is bytes over those of all rows.
func (r *Run) perRows(bytes int64) float64 { return float64(bytes) / float64(int64(r.Rows)*r.RowBytes) }

// PrintPhases prints the cost of the phases of a build, kinds summed.
func PrintPhases(w io.Writer, r Run) {
	if len(r.Outcome.Phases) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s, %d rows, cap (MiB) %s, by phase\n\n| phase | s | read, GiB | x rows | written, GiB | x rows | anon, MiB | with page cache, MiB |\n|---|---|---|---|---|---|---|---|\n",
		r.Side, r.Rows, r.limit())
	for _, p := range capped.Merged(r.Outcome.Phases) {
		fmt.Fprintf(w, "| %s | %.1f | %.2f | %.2f | %.2f | %.2f | %.1f | %.1f |\n", p.Name, p.Seconds,
			float64(p.ReadBytes)/gib, r.perRows(p.ReadBytes), float64(p.WrittenBytes)/gib, r.perRows(p.WrittenBytes),
			float64(p.PeakAnon)/mib, float64(p.PeakUsage)/mib)
	}
	fmt.Fprintln(w)
}

// PrintSides prints how the sides of knng compare: medians of those runs that
// finished, and whether all graphs are one.
func PrintSides(w io.Writer, runs []Run) {
	var in, out []float64
	sums := map[string]bool{}
	for _, r := range runs {
		if _, failed := r.Outcome.Failed(); failed {
			continue
		}
		sums[r.checksum()] = true
		if r.Cap > 0 {
			in = append(in, r.Outcome.Seconds)
		} else {
			out = append(out, r.Outcome.Seconds)
		}
	}
	if len(in) == 0 || len(out) == 0 {
		fmt.Fprintln(w, "a side has no run that finished")
		return
	}
	same := "one graph"
	if len(sums) > 1 {
		same = fmt.Sprintf("%d DIFFERENT GRAPHS", len(sums))
	}
	fmt.Fprintf(w, "median of %d capped: %.1f s; of %d uncapped: %.1f s; %.2f times; %s\n",
		len(in), median(in), len(out), median(out), median(in)/median(out), same)
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
