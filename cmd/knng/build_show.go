package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store/living"
)

// showBuilt prints a result, as JSON or for people.
func showBuilt(g *globals, res *builder.Result, dir string) error {
	if g.json {
		return g.printJSON(flatten(res, dir))
	}
	printResult(g, res, dir)
	if living.Is(dir) {
		fmt.Fprintf(g.stdout, "written to since then: knng info %s tells of the rows now\n", operand(dir))
	}
	return nil
}

// flatten is a result with its recall at the top, as scripts want it.
func flatten(res *builder.Result, dir string) any {
	return struct {
		*builder.Result
		Dir    string  `json:"dir"`
		Done   bool    `json:"finished"`
		Recall float64 `json:"recall"`
		Low    float64 `json:"low"`
		High   float64 `json:"high"`
		Sample int     `json:"sample"`
		Living bool    `json:"living,omitempty"` // rows were put or deleted since; knng info tells
	}{res, dir, true, res.Recall.Recall, res.Recall.Low, res.Recall.High, res.Recall.Sample, living.Is(dir)}
}

// printResult is the summary at the end of a build.
func printResult(g *globals, r *builder.Result, dir string) {
	w := g.stdout
	fmt.Fprintf(w, "%s: %d rows of %d %s, k=%d, %s, method %s\n", dir, r.Rows, r.Dim, r.Type, r.K, r.Metric, r.Method)
	if r.Recall.Sample > 0 {
		fmt.Fprintf(w, "recall     %.4f, 95 %% interval %.4f to %.4f (%d rows)\n", r.Recall.Recall, r.Recall.Low, r.Recall.High, r.Recall.Sample)
	} else {
		fmt.Fprintf(w, "recall     %.4f: all rows were compared with all\n", r.Recall.Recall)
	}
	if r.Stop != "" {
		fmt.Fprintf(w, "stopped    %s\n", r.Stop)
	}
	fmt.Fprintf(w, "pairs      %d requested, %d computed, %d from the cache (%s); scan rate %.5f; controls %d more\n",
		r.RequestedPairs, r.Comparisons, r.CacheHits, r.PairCache, r.ScanRate, r.ControlPairs)
	if r.Axes > 0 {
		fmt.Fprintf(w, "axes       %d for %d dimensions\n", r.Axes, r.Dim)
	}
	if len(r.EffectiveRates) > 0 {
		fmt.Fprintf(w, "effective  %s\n", rates(r.EffectiveRates))
	}
	apart := ""
	if r.BadRows > 0 {
		fmt.Fprintf(w, "bad rows   %d without distances: they are in no list\n", r.BadRows)
		apart = ", apart from these"
	}
	fmt.Fprintf(w, "islands    %s%s\n", components(r.Components), apart)
	fmt.Fprintf(w, "time       %.2f s, %.2f s of CPU, %d threads, kernel %s; resumed %d times\n", r.Seconds, r.CPUSeconds, r.Threads, r.Kernel, r.Resumed)
	if line := phases(r.Phases); line != "" {
		fmt.Fprintf(w, "           %s\n", line)
	}
	fmt.Fprintf(w, "memory     %s anonymous, %s resident at the peak; disk %s, %s written\n",
		size(r.PeakAnonBytes), size(r.PeakRSSBytes), size(r.PeakDiskBytes), size(r.WrittenBytes))
	printPlanned(w, r)
	fmt.Fprintf(w, "checksum   %s\n", r.Checksum)
	fmt.Fprintf(w, "next       knng neighbors %s 0\n", operand(dir))
}

// printPlanned shows the plan beside the outcome.
func printPlanned(w io.Writer, r *builder.Result) {
	p := r.Plan
	if p == nil {
		return
	}
	fmt.Fprintf(w, "planned    %s anonymous; disk %s, %s written", size(p.PeakAnonBytes), size(p.PeakDiskBytes), size(p.WrittenBytes))
	if p.Seconds > 0 {
		fmt.Fprintf(w, ", %s", planned(p.Seconds))
	}
	fmt.Fprintln(w)
}

// components counts connected components.
func components(n int) string {
	if n == 1 {
		return "one connected component"
	}
	return fmt.Sprintf("%d connected components", n)
}

func rates(list []float64) string {
	var parts []string
	for _, r := range list {
		parts = append(parts, fmt.Sprintf("%.3f", r))
	}
	return strings.Join(parts, " ")
}

// phases sums the times of the phases by kind and lists those that count.
func phases(list []builder.PhaseSeconds) string {
	var names []string
	sums := map[string]float64{}
	for _, p := range list {
		name := kind(p.Name)
		if _, ok := sums[name]; !ok {
			names = append(names, name)
		}
		sums[name] += p.Seconds
	}
	var parts []string
	for _, name := range names {
		if sums[name] >= 0.005 {
			parts = append(parts, fmt.Sprintf("%s %s", name, short(time.Duration(sums[name]*float64(time.Second)))))
		}
	}
	return strings.Join(parts, ", ")
}

// kind is a phase's name without its number: divisions are carved and solved.
func kind(name string) string {
	switch {
	case strings.HasSuffix(name, ": carve"):
		return "carving"
	case strings.HasPrefix(name, "division "):
		return "leaves"
	case strings.HasPrefix(name, "propagation "):
		return "propagation"
	}
	return name
}

func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return strconv.FormatInt(n, 10) + " bytes"
}
