package peers

import (
	"cmp"
	"maps"
	"slices"

	"github.com/knng/knng/bench/front"
)

// At is a peer's time at some recall, on its Pareto front.
type At struct {
	Peer    string
	Seconds float64
}

// clock picks one of a point's clocks.
type clock func(Point) float64

// Clocks are the two that are reported.
var Clocks = map[string]clock{
	"rows to lists in memory":             func(p Point) float64 { return p.MemorySeconds },
	"file to finished store or file":      func(p Point) float64 { return p.FileSeconds },
	"CPU, file to finished store or file": func(p Point) float64 { return p.CPUSeconds },
}

// settings are a peer's settings, each the median of its runs.
func settings(points []Point, peer string, c clock) (all []front.Point) {
	runs := map[string][]Point{}
	for _, p := range points {
		if p.Peer == peer && p.Error == "" {
			key := keyOf(p.Setting)
			runs[key] = append(runs[key], p)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(runs)) {
		same := runs[key]
		all = append(all, front.Point{Recall: median(same, func(p Point) float64 { return p.Recall.Recall }), Cost: median(same, c)})
	}
	return all
}

func median(points []Point, of func(Point) float64) float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = of(p)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// Compare returns our time at a recall and the others', fastest first.
func Compare(points []Point, recall float64, c clock) (ours float64, others []At) {
	peers := map[string]bool{}
	for _, p := range points {
		peers[p.Peer] = true
	}
	for _, peer := range slices.Sorted(maps.Keys(peers)) {
		seconds, ok := front.At(front.Of(settings(points, peer, c)), recall)
		switch {
		case !ok:
		case peer == Ours:
			ours = seconds
		default:
			others = append(others, At{peer, seconds})
		}
	}
	slices.SortStableFunc(others, func(a, b At) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return ours, others
}
