package peers

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
)

func keyOf(s Setting) string {
	b, err := json.Marshal(s) // maps are written in the order of their keys
	if err != nil {
		return s.Peer
	}
	return string(b)
}

// PrintPoint prints a run as a line of a Markdown table.
func PrintPoint(w io.Writer, p Point) {
	if p.Error != "" {
		fmt.Fprintf(w, "| %s | %s | failed: %.120s |\n", p.Peer, parameters(p), p.Error)
		return
	}
	fmt.Fprintf(w, "| %s | %s | %.4f | %.2f | %.2f | %.2f | %.2f |\n", p.Peer, parameters(p), p.Recall.Recall,
		p.MemorySeconds, p.FileSeconds, p.CPUSeconds, float64(p.PeakRSS)/(1<<30))
}

// PointHeader begins a table of PrintPoint.
func PointHeader(w io.Writer) {
	fmt.Fprintln(w, "| peer | parameters | recall | rows to lists, s | file to file, s | CPU s | peak RSS, GiB |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
}

func parameters(p Point) string {
	b, err := json.Marshal(p.Parameters)
	if err != nil {
		return ""
	}
	return string(b)
}

// PrintRatios prints how many times longer the fastest others take at equal
// recall, by every clock.
func PrintRatios(w io.Writer, points []Point, recalls []float64) {
	for _, name := range slices.Sorted(maps.Keys(Clocks)) {
		fmt.Fprintf(w, "\n%s\n\n| recall | knng, s | others: s (times knng) |\n|---|---|---|\n", name)
		for _, recall := range recalls {
			ours, others := Compare(points, recall, Clocks[name])
			fmt.Fprintf(w, "| %.3f | %.2f |", recall, ours)
			for _, o := range others {
				fmt.Fprintf(w, " %s %.1f (%.1f)", o.Peer, o.Seconds, o.Seconds/ours)
			}
			fmt.Fprintln(w, " |")
		}
	}
}
