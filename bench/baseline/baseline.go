// Package baseline is one interface to the systems that
// Wang et al., "Scalable k-NN graph construction", section "Experiments",
// compares, to later ones, and to knng itself. Each has a room of its own below
// this folder and gets the same rows, kernels (vectors/distance) and lists
// (builder/knn); whoever measures them judges the lists by bench/judge.
//
// The kernels favour some: they compare a row with many others at a time, which
// suits leaves and scans (brute, chenfs09, virmajoki, knng) better than the short
// batches of kdtrees and nndescent, and the single pairs of uno.
// knng's default compares rows as bytes in tiles (vectors/codes), which are its
// own; its paper method uses the kernels of all the others.
package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Problem is the input of a system, which returns lists of the K nearest of every row.
type Problem struct {
	Rows    *vectors.Rows
	Metric  distance.Metric
	K       int
	Seed    uint64
	Threads int // systems of one thread ignore it
}

// Graph is its result.
type Graph struct {
	Lists       *knn.Lists         // min(K, n-1) neighbors of a row, or fewer where none were met
	Comparisons int64              // distances evaluated
	Seconds     float64            // rows in memory to lists in memory, where Build is not that; 0 where it is
	Detail      map[string]float64 // counts of the system's own
	Rates       []float64          // effective rates of divisions, where there are any
}

// A System is a way to build graphs, with its parameters. The zero value of a
// parameter is its default. Build stops between rows or nodes when ctx is done.
type System interface {
	Build(ctx context.Context, p *Problem) (*Graph, error)
}

// ErrMetric says that a system has no meaning under a metric.
var ErrMetric = errors.New("baseline: the system knows euclidean distances only")

// Points are the rows of a problem, whose comparisons are counted. One goroutine
// uses them at a time.
type Points struct {
	*vectors.Rows
	Space    *distance.Space
	Norms    []float64 // nil unless the metric needs them
	Compared int64     // distances evaluated so far

	solver leaf.Solver
}

// NewPoints binds the rows of a problem to its metric.
func NewPoints(p *Problem) (*Points, error) {
	if p.K < 1 {
		return nil, fmt.Errorf("baseline: k is %d, want at least 1", p.K)
	}
	space, err := distance.New(p.Metric, p.Rows.Type(), p.Rows.Dim())
	if err != nil {
		return nil, err
	}
	x := &Points{Rows: p.Rows, Space: space}
	if space.NeedsNorms() {
		x.Norms = make([]float64, p.Rows.Len())
		for i := range x.Norms {
			x.Norms[i] = space.Norm(p.Rows.Row(i))
		}
	}
	x.solver.Block = func(xs, ys []uint32, out []float32) {
		space.Block(x.Base(), x.Stride(), x.Norms, xs, ys, out)
	}
	return x, nil
}

// NewLists returns empty lists for a problem.
func NewLists(p *Problem) *knn.Lists {
	return knn.New(p.Rows.Len(), max(1, min(p.K, p.Rows.Len()-1)), nil)
}

// Nearest cuts lists to the K nearest.
func Nearest(lists *knn.Lists, p *Problem) *knn.Lists {
	cut := NewLists(p)
	if cut.K == lists.K {
		return lists
	}
	for row := range uint32(lists.N) {
		ids, keys := lists.List(row)
		n := min(len(ids), cut.K)
		cut.Set(row, ids[:n], keys[:n])
	}
	return cut
}

// Norm is the norm of a row, 0 where the metric needs none.
func (x *Points) Norm(row uint32) float64 {
	if x.Norms == nil {
		return 0
	}
	return x.Norms[row]
}

// Keys compares a row with others.
func (x *Points) Keys(row uint32, others []uint32, out []float32) {
	x.Space.Keys(x.Row(int(row)), x.Norm(row), x.Base(), x.Stride(), x.Norms, others, out)
	x.Compared += int64(len(others))
}

// Solve compares all rows of a subset with each other, each pair once, and
// offers it to both ends.
func (x *Points) Solve(subset []uint32, lists *knn.Lists) error {
	count, err := x.solver.Solve(subset, nil, 0, func(i int, js []uint32, keys []float32) {
		lists.OfferBoth(subset, i, js, keys)
	})
	x.Compared += count.Evaluated
	return err
}

// Cross compares the rows of subset[:split] with those of subset[split:].
func (x *Points) Cross(subset []uint32, split int, lists *knn.Lists) error {
	count, err := x.solver.Cross(subset, split, func(i int, js []uint32, keys []float32) {
		lists.OfferBoth(subset, i, js, keys)
	})
	x.Compared += count.Evaluated
	return err
}

// Floats returns a copy of all rows as float32, Len*Dim of them: for systems that
// look at single coordinates.
func (x *Points) Floats() []float32 {
	dim := x.Dim()
	all := make([]float32, x.Len()*dim)
	for i := range x.Len() {
		x.Space.Float32(x.Row(i), all[i*dim:(i+1)*dim])
	}
	return all
}

// All returns 0, 1, ..., n-1.
func All(n int) []uint32 {
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = uint32(i)
	}
	return ids
}

// Check returns an error if lists are no lists of rows' neighbors: out of order, with the
// row itself, a row twice, or a key that is not that of the pair.
func Check(p *Problem, lists *knn.Lists) error {
	x, err := NewPoints(p)
	if err != nil {
		return err
	}
	for row := range uint32(p.Rows.Len()) {
		ids, keys := lists.List(row)
		before := float32(math.Inf(-1))
		for i, id := range ids {
			key := x.Space.Key(x.Row(int(row)), x.Row(int(id)), x.Norm(row), x.Norm(id))
			switch {
			case id == row || slices.Contains(ids[:i], id):
				return fmt.Errorf("baseline: row %d lists row %d, itself or a second time", row, id)
			case key != keys[i] || key < before:
				return fmt.Errorf("baseline: row %d lists row %d at %v, the key is %v", row, id, keys[i], key)
			}
			before = key
		}
	}
	return nil
}
