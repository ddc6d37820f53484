package peers

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// At is a peer's time at some recall, on its Pareto front.
type At struct {
	Peer    string
	Seconds float64
}

// sample is the medians of the runs of one setting.
type sample struct{ recall, seconds float64 }

// clock picks one of a point's clocks.
type clock func(Point) float64

// Clocks are the two that are reported.
var Clocks = map[string]clock{
	"rows to lists in memory":             func(p Point) float64 { return p.MemorySeconds },
	"file to finished store or file":      func(p Point) float64 { return p.FileSeconds },
	"CPU, file to finished store or file": func(p Point) float64 { return p.CPUSeconds },
}

// front is a peer's settings that no other of its settings beats in both recall
// and time, by recall.
func front(points []Point, peer string, c clock) []sample {
	runs := map[string][]Point{}
	for _, p := range points {
		if p.Peer == peer && p.Error == "" {
			key := keyOf(p.Setting)
			runs[key] = append(runs[key], p)
		}
	}
	var all []sample
	for _, same := range runs {
		all = append(all, sample{median(same, func(p Point) float64 { return p.Recall.Recall }), median(same, c)})
	}
	slices.SortFunc(all, func(a, b sample) int {
		return cmp.Or(cmp.Compare(b.recall, a.recall), cmp.Compare(a.seconds, b.seconds))
	})
	var kept []sample
	best := math.Inf(1)
	for _, s := range all {
		if s.seconds < best {
			best = s.seconds
			kept = append(kept, s)
		}
	}
	slices.Reverse(kept)
	return kept
}

func median(points []Point, of func(Point) float64) float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = of(p)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// secondsAt reads a front at a recall: between two settings straight in the
// logarithms of time and of what is missed; below the first setting its time,
// which reaches more; ok is false beyond the last.
func secondsAt(front []sample, recall float64) (seconds float64, ok bool) {
	for i, s := range front {
		if s.recall < recall {
			continue
		}
		if i == 0 || s.recall >= 1 {
			return s.seconds, true
		}
		before := front[i-1]
		x := math.Log((1-before.recall)/(1-recall)) / math.Log((1-before.recall)/(1-s.recall))
		return math.Exp(math.Log(before.seconds) + x*math.Log(s.seconds/before.seconds)), true
	}
	return 0, false
}

// Compare returns our time at a recall and the others', fastest first.
func Compare(points []Point, recall float64, c clock) (ours float64, others []At) {
	peers := map[string]bool{}
	for _, p := range points {
		peers[p.Peer] = true
	}
	for _, peer := range slices.Sorted(maps.Keys(peers)) {
		seconds, ok := secondsAt(front(points, peer, c), recall)
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
