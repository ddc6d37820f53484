package peers

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/knng/knng/bench/front"
)

// At is a peer's time at some recall, on its Pareto front.
type At struct {
	Peer    string
	Seconds float64
}

// clock picks one of a point's clocks.
type clock func(Point) float64

// The clocks, by the names under which they are reported.
const (
	MemoryClock = "rows to lists in memory"
	FileClock   = "file to finished store or file"
	CPUClock    = "CPU, file to finished store or file"
)

// Clocks are those that are reported.
var Clocks = map[string]clock{
	MemoryClock: func(p Point) float64 { return p.MemorySeconds },
	FileClock:   func(p Point) float64 { return p.FileSeconds },
	CPUClock:    func(p Point) float64 { return p.CPUSeconds },
}

// Summary is a setting over its runs, by one clock.
type Summary struct {
	Setting
	Recall             float64 // median
	Median, Low, Upper float64 // seconds: median, least, most
	Runs               int
}

// Summaries are a side's settings, each over its runs that did not fail.
func Summaries(points []Point, side string, c clock) (all []Summary) {
	runs := map[string][]Point{}
	for _, p := range points {
		if p.Side() == side && p.Error == "" {
			runs[p.Setting.key()] = append(runs[p.Setting.key()], p)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(runs)) {
		same := runs[key]
		recall, _, _ := spread(same, func(p Point) float64 { return p.Recall.Recall })
		median, low, upper := spread(same, c)
		all = append(all, Summary{same[0].Setting, recall, median, low, upper, len(same)})
	}
	return all
}

// settings are Summaries as points of a front.
func settings(points []Point, side string, c clock) (all []front.Point) {
	for _, s := range Summaries(points, side, c) {
		all = append(all, front.Point{Recall: s.Recall, Cost: s.Median})
	}
	return all
}

// spread is the median, least and most of some runs.
func spread(points []Point, of func(Point) float64) (median, low, upper float64) {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = of(p)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2, values[0], values[len(values)-1]
}

// AtRecall is a side's time at a recall, on the front of its settings; ok is false
// beyond it.
func AtRecall(points []Point, side string, recall float64, c clock) (seconds float64, ok bool) {
	return front.At(front.Of(settings(points, side, c)), recall)
}

// sides are all that ran, by name.
func sides(points []Point) []string {
	names := map[string]bool{}
	for _, p := range points {
		names[p.Side()] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// Compare returns our time at a recall and the others', fastest first; ours is 0
// where we did not reach it.
func Compare(points []Point, recall float64, c clock) (ours float64, others []At) {
	for _, side := range sides(points) {
		seconds, ok := AtRecall(points, side, recall, c)
		switch {
		case !ok:
		case side == Ours:
			ours = seconds
		case !strings.HasPrefix(side, Ours+" "): // ours in another arithmetic is nobody else
			others = append(others, At{side, seconds})
		}
	}
	slices.SortStableFunc(others, func(a, b At) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return ours, others
}
