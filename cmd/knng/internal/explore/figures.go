package explore

import (
	"context"
	"math"
	"slices"

	"github.com/knng/knng/cmd/knng/internal/number"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis"
)

// Figures are the numbers about the graph that the page draws.
type Figures struct {
	InDegrees  []analysis.Bin   `json:"in_degrees"`
	Hubs       []analysis.Hub   `json:"hubs"`
	Antihubs   int              `json:"antihubs"`
	Nearest    Histogram        `json:"nearest"`
	Farthest   Histogram        `json:"farthest"`
	Components []analysis.Group `json:"components"`
	Islands    int              `json:"islands"`
	Duplicates []analysis.Group `json:"duplicates"`
	Equal      int              `json:"equal"` // groups of duplicates
}

// rows are those that the figures name: hubs, and the first of each group.
func (f *Figures) rows() (rows []uint32) {
	if f == nil {
		return nil
	}
	for _, h := range f.Hubs {
		rows = append(rows, h.Row)
	}
	for _, g := range slices.Concat(f.Components, f.Duplicates) {
		rows = append(rows, g.First)
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// A Histogram counts values in bins of equal width from Low to High.
type Histogram struct {
	Low    number.Float32 `json:"low"`
	High   number.Float32 `json:"high"`
	Counts []int          `json:"counts"`
}

// shownGroups is how many groups and hubs the page lists.
const shownGroups = 12

// Measure goes over the lists of a graph a few times; it returns the in-degree of every row
// as well.
func Measure(ctx context.Context, g Graph) (f *Figures, degrees []uint32, err error) {
	graph, f := under{g, ctx}, new(Figures)
	if degrees, err = analysis.InDegrees(graph); err != nil {
		return nil, nil, err
	}
	hubs, err := analysis.MeasureHubness(graph, nil, shownGroups)
	if err != nil {
		return nil, nil, err
	}
	f.InDegrees, f.Hubs, f.Antihubs = hubs.Histogram, hubs.Hubs, hubs.Antihubs
	islands, err := analysis.Islands(graph)
	if err != nil {
		return nil, nil, err
	}
	f.Islands, f.Components = islands.Len(), first(islands.Groups(1))
	if g.Info().Distance != "ip" {
		equal, err := analysis.Duplicates(graph, 0)
		if err != nil {
			return nil, nil, err
		}
		groups := equal.Groups(2)
		f.Equal, f.Duplicates = len(groups), first(groups)
	}
	f.Nearest, f.Farthest, err = distances(graph)
	return f, degrees, err
}

func first(groups []analysis.Group) []analysis.Group { return groups[:min(shownGroups, len(groups))] }

// distances are those to the nearest and to the last neighbor of every list.
func distances(graph analysis.Graph) (nearest, farthest Histogram, err error) {
	var near, far []float32
	err = graph.EachKeyed(func(_ store.Row, _ []uint32, keys []float32) error {
		if len(keys) > 0 {
			near = append(near, graph.Shown(keys[0]))
			far = append(far, graph.Shown(keys[len(keys)-1]))
		}
		return nil
	})
	return HistogramOf(near), HistogramOf(far), err
}

// bins is the number of bars of a histogram.
const bins = 40

// HistogramOf sorts and counts the values up to the quantile 0.995 in bins, the few beyond it in
// the last one. Infinite ones, which are too large for float32, are in the first or the last one.
func HistogramOf(values []float32) (h Histogram) {
	if len(values) == 0 {
		return h
	}
	slices.Sort(values)
	finite := values
	for len(finite) > 0 && math.IsInf(float64(finite[0]), -1) {
		finite = finite[1:]
	}
	for len(finite) > 0 && math.IsInf(float64(finite[len(finite)-1]), 1) {
		finite = finite[:len(finite)-1]
	}
	if len(finite) == 0 {
		finite = values[:1]
	}
	low, high := float64(finite[0]), float64(finite[(len(finite)-1)*995/1000])
	h.Low, h.High, h.Counts = number.Float32(low), number.Float32(high), make([]int, bins)
	for _, v := range values {
		at := bins - 1
		switch x := float64(v); {
		case x < low:
			at = 0
		case x < high:
			at = min(bins-1, int((x-low)/(high-low)*bins))
		}
		h.Counts[at]++
	}
	return h
}
