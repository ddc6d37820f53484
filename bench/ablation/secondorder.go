package ablation

import (
	"context"
	"slices"
	"time"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/baseline/knng"
	"github.com/knng/knng/builder/knn"
)

// SecondOrder makes divisions and then compares every row with all neighbors of
// its neighbors, as Chen, Fang, Saad 2009, section 2.4, refine: no queue, nothing
// further away. Wang et al., section "Related work", compare best-first propagation
// with it. As there, lists of one generation are read and the
// candidates, offered to both ends, make the next.
type SecondOrder struct {
	Divided  knng.Builder // makes the divisions
	Expanded int          // how many of the nearest neighbors' neighbors are compared; 0 is all
}

// Build returns approximate lists.
func (s SecondOrder) Build(ctx context.Context, p *baseline.Problem) (*baseline.Graph, error) {
	g, err := s.Divided.Build(ctx, p)
	if err != nil {
		return nil, err
	}
	x, err := baseline.NewPoints(p)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	r := &refinement{x: x, lists: g.Lists, next: g.Lists.Clone(), expanded: s.Expanded, marks: make([]uint32, x.Len())}
	for row := range uint32(x.Len()) {
		if row%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.around(row)
	}
	took := time.Since(began).Seconds()
	g.Lists.Free()
	g.Lists = r.next
	g.Seconds += took
	g.Comparisons += x.Compared
	g.Detail["requested"] += float64(x.Compared)
	g.Detail["seconds propagation, second order"] = took
	return g, nil
}

// refinement is one pass over all rows.
type refinement struct {
	x           *baseline.Points
	lists, next *knn.Lists
	expanded    int
	marks       []uint32 // marks[other] == row+1: met already
	ids         []uint32
	keys        []float32
}

// around compares a row with the neighbors of its neighbors that are not its own.
func (r *refinement) around(row uint32) {
	first, _ := r.lists.List(row)
	r.marks[row] = row + 1
	for _, id := range first {
		r.marks[id] = row + 1
	}
	if r.expanded > 0 {
		first = first[:min(r.expanded, len(first))]
	}
	r.ids = r.ids[:0]
	for _, id := range first {
		second, _ := r.lists.List(id)
		for _, other := range second {
			if r.marks[other] != row+1 {
				r.marks[other] = row + 1
				r.ids = append(r.ids, other)
			}
		}
	}
	r.keys = slices.Grow(r.keys[:0], len(r.ids))[:len(r.ids)]
	r.x.Keys(row, r.ids, r.keys)
	for i, id := range r.ids {
		r.next.Offer(row, id, r.keys[i])
		r.next.Offer(id, row, r.keys[i])
	}
}
