package analysis

import (
	"cmp"
	"container/heap"
	"math"
	"math/bits"
	"slices"

	"github.com/knng/knng/store"
)

// InDegrees counts for every row the rows that list it.
func InDegrees(g Graph) ([]uint32, error) {
	degrees, _, err := inDegrees(g)
	return degrees, err
}

// inDegrees also counts the isolated rows.
func inDegrees(g Graph) (degrees []uint32, isolated int, err error) {
	degrees = make([]uint32, g.Len())
	err = g.EachKeyed(func(_ store.Row, neighbors []uint32, _ []float32) error {
		if len(neighbors) == 0 {
			isolated++
		}
		for _, n := range neighbors {
			degrees[n]++
		}
		return nil
	})
	return degrees, isolated, err
}

// Hubness says how unevenly the rows stand in the lists of others: Radovanović,
// Nanopoulos, Ivanović, "Hubs in space: popular nearest neighbors in
// high-dimensional data", JMLR 11 (2010), whose k-occurrences N_k are the
// in-degrees.
type Hubness struct {
	Rows      int      `json:"rows"`      // with a list
	Mean      float64  `json:"mean"`      // entries / rows: k
	Skewness  float64  `json:"skewness"`  // of the in-degrees, S_Nk: 0 where all are equal, large where few rows are in most lists
	Antihubs  int      `json:"antihubs"`  // rows that are in no list
	Quantiles []uint32 `json:"quantiles"` // of the in-degrees, at the shares asked for
	Histogram []Bin    `json:"histogram"` // of the in-degrees
	Hubs      []Hub    `json:"hubs"`      // the rows in most lists, most first, then by row
}

// A Bin counts the rows with in-degrees From to To, both included: 0, 1, 2 to 3,
// 4 to 7 and so on, without the empty bins at the end.
type Bin struct {
	From uint32 `json:"from"`
	To   uint32 `json:"to"`
	Rows int    `json:"rows"`
}

// A Hub is a row and how many rows list it.
type Hub struct {
	Row      uint32 `json:"row"`
	InDegree uint32 `json:"in_degree"`
}

// MeasureHubness counts in-degrees and gives their quantiles at the shares (0 to
// 1), and so many hubs as top.
func MeasureHubness(g Graph, shares []float64, top int) (*Hubness, error) {
	if err := checkShares(shares); err != nil {
		return nil, err
	}
	degrees, isolated, err := inDegrees(g)
	if err != nil {
		return nil, err
	}
	h := &Hubness{Rows: len(degrees) - isolated, Hubs: hubs(degrees, top)}
	slices.Sort(degrees)
	degrees = degrees[isolated:] // nobody lists an isolated row: theirs are zeros
	h.Quantiles = quantiles(degrees, shares)
	h.Histogram = histogram(degrees)
	h.Mean, h.Skewness = moments(degrees)
	if len(h.Histogram) > 0 {
		h.Antihubs = h.Histogram[0].Rows
	}
	return h, nil
}

// hubs finds the rows with the largest in-degrees, none with 0.
func hubs(degrees []uint32, top int) []Hub {
	best := &least{}
	for row, d := range degrees {
		switch {
		case d == 0 || top < 1:
		case best.Len() < top:
			heap.Push(best, Hub{uint32(row), d})
		case d > best.hubs[0].InDegree: // rows ascend: of equal ones the first stay
			best.hubs[0] = Hub{uint32(row), d}
			heap.Fix(best, 0)
		}
	}
	list := append([]Hub{}, best.hubs...)
	slices.SortFunc(list, byDegree)
	return list
}

// byDegree puts the row that most list first, then the first row.
func byDegree(a, b Hub) int {
	return cmp.Or(cmp.Compare(b.InDegree, a.InDegree), cmp.Compare(a.Row, b.Row))
}

// least is a heap with the last by degree on top.
type least struct{ hubs []Hub }

func (l *least) Len() int           { return len(l.hubs) }
func (l *least) Less(i, j int) bool { return byDegree(l.hubs[i], l.hubs[j]) > 0 }
func (l *least) Swap(i, j int)      { l.hubs[i], l.hubs[j] = l.hubs[j], l.hubs[i] }
func (l *least) Push(x any)         { l.hubs = append(l.hubs, x.(Hub)) }
func (l *least) Pop() any {
	last := l.hubs[len(l.hubs)-1]
	l.hubs = l.hubs[:len(l.hubs)-1]
	return last
}

func histogram(degrees []uint32) []Bin {
	bins := []Bin{}
	for _, d := range degrees {
		i := bits.Len32(d)
		for len(bins) <= i {
			bins = append(bins, Bin{From: uint32(1 << len(bins) >> 1), To: uint32(1<<len(bins) - 1)})
		}
		bins[i].Rows++
	}
	return bins
}

// moments returns the mean and the skewness, the third central moment over the
// cube of the standard deviation.
func moments(degrees []uint32) (mean, skewness float64) {
	n := float64(len(degrees))
	if n == 0 {
		return 0, 0
	}
	for _, d := range degrees {
		mean += float64(d)
	}
	mean /= n
	var second, third float64
	for _, d := range degrees {
		off := float64(d) - mean
		second += off * off
		third += off * off * off
	}
	if second == 0 {
		return mean, 0
	}
	return mean, third / n / math.Pow(second/n, 1.5)
}
