// Package chenfs09 is Chen, Fang, Saad 2009, "Fast approximate kNN graph
// construction for high dimensional data via recursive Lanczos bisection", JMLR
// 10, sections 2.1 (spectral bisection) to 2.4: its methods Overlap and Glue,
// with the refinement by second-order neighbors after every conquer step.
//
// The paper leaves open, or we settled otherwise:
//   - Rows are divided at the mean of the projections. Where that leaves more
//     than nine tenths on one side, they are divided at the median: outliers would
//     otherwise make the recursion as deep as they are many. The paper's exponents
//     (1.36 and 1.22 at alpha 0.2) suppose halves.
//   - The smallest subset that is divided is ours to choose; 500 by default, as in
//     Wang et al.
//   - Lists are one for all subsets, so every offer conquers. When
//     a subset is refined its lists may already hold nearer rows met in another.
//   - Refined pairs are offered to both ends.
//   - For lists of one neighbor there are no second-order neighbors to speak of: lists may
//     be kept longer while the graph is built.
//   - The hash table of computed pairs is a parameter. The kernels compute a
//     distance of 128 bytes in less time than a table of this size takes to find
//     it: with the table there are fewer comparisons, without it less time.
package chenfs09

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/baseline/axis"
	"github.com/knng/knng/builder/knn"
)

// Overlap divides into two subsets that share alpha of the rows.
type Overlap struct{ Options }

// Glue divides into two disjoint subsets, and a third of the alpha of all rows
// that are nearest to the border.
type Glue struct{ Options }

// Options are the parameters of both.
type Options struct {
	Alpha    float64 // share of the rows in the overlap, above 0 and below 0.9; 0.2, which the paper suggests
	LeafSize int     // subsets with fewer rows are compared all with all; 500
	Steps    int     // of the Lanczos recurrence; 8
	NoRefine bool    // leave out the refinement
	Table    bool    // keep a table of computed pairs and compare none twice
	Lists    int     // length of lists while the graph is built, of which the k nearest remain; k, if less
}

// Build returns approximate lists.
func (s Overlap) Build(ctx context.Context, p *baseline.Problem) (*baseline.Graph, error) {
	return s.build(ctx, p, overlapped)
}

// Build returns approximate lists.
func (s Glue) Build(ctx context.Context, p *baseline.Problem) (*baseline.Graph, error) {
	return s.build(ctx, p, glued)
}

// divider makes subsets of rows whose projections, relative to the border, are at
// hand; band is the distance from the border within which alpha of them lie.
type divider func(ids []uint32, at []float32, band float32) [][]uint32

func overlapped(ids []uint32, at []float32, band float32) [][]uint32 {
	return [][]uint32{
		where(ids, at, func(v float32) bool { return v >= -band }),
		where(ids, at, func(v float32) bool { return v < band }),
	}
}

func glued(ids []uint32, at []float32, band float32) [][]uint32 {
	return [][]uint32{
		where(ids, at, func(v float32) bool { return v >= 0 }),
		where(ids, at, func(v float32) bool { return v < 0 }),
		where(ids, at, func(v float32) bool { return -band <= v && v < band }),
	}
}

func where(ids []uint32, at []float32, in func(float32) bool) (subset []uint32) {
	for i, id := range ids {
		if in(at[i]) {
			subset = append(subset, id)
		}
	}
	return subset
}

// walk is one build.
type walk struct {
	Options
	ctx    context.Context
	x      *baseline.Points
	lists  *knn.Lists
	finder *axis.Finder
	rng    *rand.Rand
	divide divider
	table  *pairs

	marks   []uint32 // marks[row] == mark: among the candidates already
	mark    uint32
	ids     []uint32
	keys    []float32
	refined int64
}

func (o Options) build(ctx context.Context, p *baseline.Problem, d divider) (*baseline.Graph, error) {
	if o.Alpha == 0 {
		o.Alpha = 0.2
	}
	if o.LeafSize == 0 {
		o.LeafSize = 500
	}
	x, err := baseline.NewPoints(p)
	if err != nil {
		return nil, err
	}
	longer := *p
	longer.K = max(p.K, o.Lists)
	w := &walk{Options: o, ctx: ctx, x: x, lists: baseline.NewLists(&longer), finder: axis.NewFinder(x, cmp.Or(o.Steps, axis.Steps)),
		rng: rand.New(rand.NewPCG(p.Seed, 1)), divide: d, marks: make([]uint32, x.Len())}
	if o.Table {
		w.table = newPairs()
	}
	if err := w.node(baseline.All(x.Len())); err != nil {
		return nil, err
	}
	return &baseline.Graph{Lists: baseline.Nearest(w.lists, p), Comparisons: x.Compared, Detail: map[string]float64{"refined": float64(w.refined)}}, nil
}

// node builds the graph of a subset.
func (w *walk) node(ids []uint32) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if len(ids) < max(w.LeafSize, 3) {
		return w.leaf(ids)
	}
	at := w.finder.Project(ids, w.rng)
	subsets := w.divide(ids, at, bandOf(at, w.Alpha))
	if larger := max(len(subsets[0]), len(subsets[1])); 10*larger > 9*len(ids) {
		atMedian(at)
		subsets = w.divide(ids, at, bandOf(at, w.Alpha))
	}
	for _, subset := range subsets {
		if 10*len(subset) > 9*len(ids) {
			subset = subset[:len(subset)*9/10] // nearly all rows are the same
		}
		if err := w.node(subset); err != nil {
			return err
		}
	}
	if w.NoRefine {
		return nil
	}
	return w.refine(ids)
}

// bandOf is the alpha-quantile of the distances from the border.
func bandOf(at []float32, alpha float64) float32 {
	size := make([]float32, len(at))
	for i, v := range at {
		size[i] = float32(math.Abs(float64(v)))
	}
	slices.Sort(size)
	return size[min(int(math.Ceil(alpha*float64(len(at)))), len(at)-1)]
}

// atMedian moves the border to the median.
func atMedian(at []float32) {
	sorted := slices.Sorted(slices.Values(at))
	middle := sorted[len(sorted)/2]
	for i := range at {
		at[i] -= middle
	}
}

// leaf compares all rows of a subset.
func (w *walk) leaf(ids []uint32) error {
	if w.table == nil {
		return w.x.Solve(ids, w.lists)
	}
	for i, x := range ids {
		w.ids = w.ids[:0]
		for _, y := range ids[i+1:] {
			if w.table.add(x, y) {
				w.ids = append(w.ids, y)
			}
		}
		w.compare(x)
	}
	return nil
}

// compare evaluates a row against ids and offers the pairs to both ends.
func (w *walk) compare(row uint32) {
	w.keys = slices.Grow(w.keys[:0], len(w.ids))[:len(w.ids)]
	w.x.Keys(row, w.ids, w.keys)
	for i, id := range w.ids {
		w.lists.Offer(row, id, w.keys[i])
		w.lists.Offer(id, row, w.keys[i])
	}
}

// refine compares every row of a subset with the neighbors of its neighbors.
func (w *walk) refine(ids []uint32) error {
	for i, row := range ids {
		if i%1024 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		w.second(row)
		w.refined += int64(len(w.ids))
		w.compare(row)
	}
	return nil
}

// second sets ids to the neighbors of the neighbors of a row that are not its
// neighbors, and that the table, where there is one, does not know.
func (w *walk) second(row uint32) {
	w.mark++
	w.ids = w.ids[:0]
	w.marks[row] = w.mark
	first, _ := w.lists.List(row)
	for _, id := range first {
		w.marks[id] = w.mark
	}
	for _, id := range first {
		second, _ := w.lists.List(id)
		for _, other := range second {
			if w.marks[other] == w.mark {
				continue
			}
			w.marks[other] = w.mark
			if w.table == nil || w.table.add(row, other) {
				w.ids = append(w.ids, other)
			}
		}
	}
}
