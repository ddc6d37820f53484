// Package brute compares all pairs: the brute force of Wang et al., "Scalable
// k-NN graph construction", section "Experiments", Table 1. Blocked is by the
// kernels that all systems here share, one row against many; Naive is how the
// paper is likely to have done it, which it does not say: one pair of numbers after
// the other, every pair from both of its ends.
package brute

import (
	"context"
	"time"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/vectors/distance"
)

// blockRows is how many rows meet as many others: two blocks of 128-dimensional
// bytes are 64 KB and stay in L2.
const blockRows = 256

// Blocked compares block against block, each pair once, by the kernels.
type Blocked struct {
	Rows int // how many rows meet all others; 0 is all. Time and comparisons are scaled to all pairs
}

// Build returns the exact lists, of the first Rows rows where that is less than all.
func (s Blocked) Build(ctx context.Context, p *baseline.Problem) (*baseline.Graph, error) {
	x, err := baseline.NewPoints(p)
	if err != nil {
		return nil, err
	}
	lists, n := baseline.NewLists(p), x.Len()
	rows := n
	if s.Rows > 0 {
		rows = min(s.Rows, n)
	}
	began := time.Now()
	all, both := baseline.All(n), make([]uint32, 0, 2*blockRows)
	for i := 0; i < rows; i += blockRows {
		block := all[i:min(i+blockRows, rows)]
		if err := x.Solve(block, lists); err != nil {
			return nil, err
		}
		for j := i + len(block); j < n; j += blockRows {
			both = append(append(both[:0], block...), all[j:min(j+blockRows, n)]...)
			if err := x.Cross(both, len(block), lists); err != nil {
				return nil, err
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	g := &baseline.Graph{Lists: lists, Comparisons: x.Compared}
	if rows < n {
		g.Comparisons = int64(n) * int64(n-1) / 2
		g.Seconds = time.Since(began).Seconds() * float64(g.Comparisons) / float64(x.Compared)
		g.Detail = map[string]float64{"rows_timed": float64(rows)}
	}
	return g, nil
}

// Naive scans all rows for every row, in plain Go. Euclidean only.
type Naive struct {
	Rows int // how many rows, spread evenly, get lists; 0 is all. Time and comparisons are scaled to all
}

// Build returns the exact lists of the rows chosen.
func (s Naive) Build(ctx context.Context, p *baseline.Problem) (*baseline.Graph, error) {
	if p.Metric != distance.Euclidean && p.Metric != distance.SqEuclidean {
		return nil, baseline.ErrMetric
	}
	x, err := baseline.NewPoints(p)
	if err != nil {
		return nil, err
	}
	lists, n := baseline.NewLists(p), x.Len()
	rows := n
	if s.Rows > 0 {
		rows = min(s.Rows, n)
	}
	floats := x.Floats()
	began := time.Now()
	for i := range rows {
		scan(floats, x.Dim(), uint32(i*n/rows), lists)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return &baseline.Graph{
		Lists: lists, Comparisons: int64(n) * int64(n-1),
		Seconds: time.Since(began).Seconds() * float64(n) / float64(max(rows, 1)),
		Detail:  map[string]float64{"rows_timed": float64(rows)},
	}, nil
}

// scan compares a row with all others.
func scan(floats []float32, dim int, row uint32, lists *knn.Lists) {
	a := floats[int(row)*dim:][:dim]
	for other := range uint32(len(floats) / dim) {
		if other == row {
			continue
		}
		b := floats[int(other)*dim:][:dim]
		var sum float32
		for i, v := range a {
			d := v - b[i]
			sum += d * d
		}
		if sum <= lists.Worst(row) {
			lists.Offer(row, other, sum)
		}
	}
}
