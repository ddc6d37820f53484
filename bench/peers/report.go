package peers

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// PrintHead prints the rules and the machine, which a reader of the tables must know first.
func PrintHead(w io.Writer) { fmt.Fprintf(w, "%s- Machine: %v.\n", Rules, ThisMachine()) }

// PrintPoint prints a run as a line.
func PrintPoint(w io.Writer, p Point) {
	name := fmt.Sprintf("%s (%d rows, k %d), %s %s, run %d", p.Set, p.Rows, p.K, p.Peer, keyOf(p.Parameters), p.Repeat+1)
	if p.Error != "" {
		fmt.Fprintf(w, "%s: failed: %.300s\n", name, p.Error)
		return
	}
	fmt.Fprintf(w, "%s: recall %.4f, rows to lists %.2f s, file to file %.2f s, CPU %.2f s, peak %.2f GiB\n", name,
		p.Recall.Recall, p.MemorySeconds, p.FileSeconds, p.CPUSeconds, float64(p.PeakRSS)/(1<<30))
}

// PrintSettings prints every setting over its runs: medians, least to most.
func PrintSettings(w io.Writer, points []Point) {
	fmt.Fprintln(w, "\n| side | parameters | recall | rows to lists, s | file to file, s | CPU s | peak RSS, GiB | million pairs, million/s | runs |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	for _, side := range sides(points) {
		all := Summaries(points, side, Clocks[MemoryClock])
		slices.SortStableFunc(all, func(a, b Summary) int { return cmp.Compare(a.Recall, b.Recall) })
		for _, s := range all {
			printSetting(w, s, ofSetting(points, s.Setting))
		}
	}
	for _, p := range points {
		if p.Error != "" {
			fmt.Fprintf(w, "| %s | %s | failed: %.100s ||||||||\n", p.Peer, keyOf(p.Parameters), oneLine(p.Error))
		}
	}
}

func ofSetting(points []Point, s Setting) (same []Point) {
	for _, p := range points {
		if p.Error == "" && p.Setting.key() == s.key() {
			same = append(same, p)
		}
	}
	return same
}

func printSetting(w io.Writer, s Summary, runs []Point) {
	fmt.Fprintf(w, "| %s | %s | %.4f | %s | %s | %s |", s.Peer, keyOf(s.Parameters), s.Recall,
		shown(runs, Clocks[MemoryClock]), shown(runs, Clocks[FileClock]), shown(runs, Clocks[CPUClock]))
	rss, _, _ := spread(runs, func(p Point) float64 { return float64(p.PeakRSS) / (1 << 30) })
	fmt.Fprintf(w, " %.2f | %s | %d |\n", rss, work(runs), s.Runs)
}

// shown is a clock over runs.
func shown(runs []Point, c clock) string {
	median, low, upper := spread(runs, c)
	if len(runs) == 1 {
		return fmt.Sprintf("%.2f", median)
	}
	return fmt.Sprintf("%.2f (%.2f-%.2f)", median, low, upper)
}

// work is the comparisons of a build, and their rate; or brute force's operations.
func work(runs []Point) string {
	first := runs[0]
	switch {
	case first.Build != nil:
		rate, _, _ := spread(runs, Point.Rate)
		return fmt.Sprintf("%.0f (scan rate %.5f), %.0f", float64(first.Build.Comparisons)/1e6, first.Build.ScanRate, rate/1e6)
	case first.GFlops > 0:
		flops, _, _ := spread(runs, func(p Point) float64 { return p.GFlops })
		note := ""
		if first.Sampled > 0 {
			note = fmt.Sprintf(", scaled from %d rows", first.Sampled)
		}
		return fmt.Sprintf("%.0f GF/s, %s%s", flops, first.BLAS, note)
	}
	return ""
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "|", "/")), " ")
}

// PrintRatios prints how many times longer the fastest others take at equal
// recall, by every clock.
func PrintRatios(w io.Writer, points []Point, recalls []float64) {
	for _, name := range slices.Sorted(maps.Keys(Clocks)) {
		fmt.Fprintf(w, "\n%s\n\n| recall | knng, s | others: s (times knng) |\n|---|---|---|\n", name)
		for _, recall := range recalls {
			ours, others := Compare(points, recall, Clocks[name])
			fmt.Fprintf(w, "| %.3f | %s |", recall, seconds(ours, ours > 0))
			for _, o := range others {
				fmt.Fprintf(w, " %s %.1f%s", o.Peer, o.Seconds, times(o.Seconds, ours))
			}
			fmt.Fprintln(w, " |")
		}
	}
}

// PrintParts prints the ratio of the fastest peer's time to ours when ours
// gives up some of its arithmetic: the rest is the algorithm.
func PrintParts(w io.Writer, points []Point, recalls []float64) {
	c := Clocks[MemoryClock]
	kernels := slices.DeleteFunc(slices.Clone(Kernels), func(kernel string) bool {
		return !slices.ContainsFunc(points, func(p Point) bool { return p.Side() == oursIn(kernel) })
	})
	fmt.Fprintf(w, "\nArithmetic, %s (fastest peer over ours)\n\n| recall |", MemoryClock)
	for _, kernel := range kernels {
		fmt.Fprintf(w, " %s |", oursIn(kernel))
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(kernels)))
	for _, recall := range recalls {
		_, others := Compare(points, recall, c)
		fmt.Fprintf(w, "| %.3f |", recall)
		for _, kernel := range kernels {
			ours, ok := AtRecall(points, oursIn(kernel), recall, c)
			fmt.Fprintf(w, " %s", seconds(ours, ok))
			if ok && len(others) > 0 {
				fmt.Fprint(w, times(others[0].Seconds, ours))
			}
			fmt.Fprint(w, " |")
		}
		fmt.Fprintln(w)
	}
}

// oursIn names our side in some arithmetic.
func oursIn(kernel string) string { return strings.TrimSpace(Ours + " " + kernel) }

// seconds shows a time, if there is one.
func seconds(s float64, ok bool) string {
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.2f", s)
}

// times shows a ratio, if there is one.
func times(theirs, ours float64) string {
	if ours == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.1f)", theirs/ours)
}
