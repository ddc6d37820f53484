// Package virmajoki is Virmajoki, Fränti 2004, "Divide-and-conquer algorithm for
// creating neighborhood graph for clustering", ICPR, section 3: rows are divided
// at the median of their principal axis into two subsets; a third holds the rows
// that are nearest to the border, half of them from either side; the graphs of
// all three are built in the same way and merged.
//
// The paper leaves open, or we settled otherwise:
//   - The size of the third subset. The exponent 1.58 = log 3 / log 2 that Wang et
//     al. state supposes half of the rows; Third is the parameter that trades
//     accuracy for time.
//   - The axis comes from eight Lanczos steps over all rows of the subset, not from
//     the covariance matrix, whose d^2 Wang et al. count: an edge given to it.
//   - The smallest subset that is divided: 500 rows, as in Wang et al.
package virmajoki

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/baseline/axis"
	"github.com/knng/knng/builder/knn"
)

// Builder holds the parameters.
type Builder struct {
	Third    float64 // share of the rows in the third subset, below 1; 0.5
	LeafSize int     // subsets with fewer rows are compared all with all; 500
	Steps    int     // of the Lanczos recurrence; 8
}

// walk is one build.
type walk struct {
	Builder
	ctx    context.Context
	x      *baseline.Points
	lists  *knn.Lists
	finder *axis.Finder
	rng    *rand.Rand
}

// Build returns approximate lists.
func (s Builder) Build(ctx context.Context, p *baseline.Problem) (*baseline.Graph, error) {
	if s.Third == 0 {
		s.Third = 0.5
	}
	if s.LeafSize == 0 {
		s.LeafSize = 500
	}
	s.Steps = cmp.Or(s.Steps, axis.Steps)
	x, err := baseline.NewPoints(p)
	if err != nil {
		return nil, err
	}
	w := &walk{s, ctx, x, baseline.NewLists(p), axis.NewFinder(x, s.Steps), rand.New(rand.NewPCG(p.Seed, 2))}
	if err := w.node(baseline.All(x.Len())); err != nil {
		return nil, err
	}
	return &baseline.Graph{Lists: w.lists, Comparisons: x.Compared}, nil
}

// node builds the graph of a subset.
func (w *walk) node(ids []uint32) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	n := len(ids)
	if n < max(w.LeafSize, 3) {
		return w.x.Solve(ids, w.lists)
	}
	order := w.alongAxis(ids)
	third := min(int(w.Third*float64(n)), n-1)
	from := (n - third) / 2
	for _, subset := range [][]uint32{order[:n/2], order[n/2:], order[from : from+third]} {
		if err := w.node(subset); err != nil {
			return err
		}
	}
	return nil
}

// alongAxis returns ids in the order of their projections.
func (w *walk) alongAxis(ids []uint32) []uint32 {
	at := w.finder.Project(ids, w.rng)
	places := baseline.All(len(ids))
	slices.SortFunc(places, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(ids[a], ids[b]))
	})
	for i, place := range places {
		places[i] = ids[place]
	}
	return places
}
