// Package kdtrees is Silpa-Anan, Hartley 2008, "Optimised KD-trees for fast image
// descriptor matching", CVPR, section 3: several randomised kd-trees searched
// together, best bin first. Every row is a query, as in Wang et al., section
// "Experiments". Euclidean only.
//
// The paper leaves open, or we settled otherwise:
//   - Randomness: a node takes one of the five coordinates of largest variance
//     among 100 of its rows, by lot, and is cut at their mean, as in FLANN (Muja,
//     Lowe 2009); the paper's rotations cost a matrix product a query.
//   - A cell's distance adds up along its path (Arya, Mount), as in FLANN.
//   - Buckets of 8 rows, so that the kernels have several rows to compare at a time.
//   - A search ends when it has compared Checks rows; a row counts once, in
//     whichever trees it is met.
//   - A pair is offered to the query only: searches know nothing of each other.
package kdtrees

import (
	"context"
	"math/rand/v2"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/vectors/distance"
)

// Builder holds the parameters.
type Builder struct {
	Trees  int // 4
	Checks int // rows that a search compares, at least; 256
}

// walk is one build.
type walk struct {
	Builder
	x      *baseline.Points
	floats []float32
	dim    int
	lists  *knn.Lists
	nodes  []node   // of all trees
	rows   []uint32 // of all trees, bucket after bucket
	roots  []uint32

	met          []uint32 // met[row] == query+1: compared already
	queue        queue
	ids          []uint32
	keys         []float32
	mean, square []float32 // of the rows that a node looks at
}

// node is a cut, or a bucket where left is 0.
type node struct {
	left, right uint32 // nodes; of a bucket, 0 and 0
	at          float32
	coordinate  int32
	from, to    uint32 // rows of a bucket
}

// Build returns approximate lists.
func (s Builder) Build(ctx context.Context, p *baseline.Problem) (*baseline.Graph, error) {
	if p.Metric != distance.Euclidean && p.Metric != distance.SqEuclidean {
		return nil, baseline.ErrMetric
	}
	if s.Trees == 0 {
		s.Trees = 4
	}
	if s.Checks == 0 {
		s.Checks = 256
	}
	x, err := baseline.NewPoints(p)
	if err != nil {
		return nil, err
	}
	w := &walk{Builder: s, x: x, floats: x.Floats(), dim: x.Dim(), lists: baseline.NewLists(p), met: make([]uint32, x.Len())}
	w.nodes = append(w.nodes, node{}) // number 0 is none
	rng := rand.New(rand.NewPCG(p.Seed, 4))
	for range s.Trees {
		w.roots = append(w.roots, w.grow(baseline.All(x.Len()), rng))
	}
	for row := range uint32(x.Len()) {
		w.search(row)
		if row%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return &baseline.Graph{Lists: w.lists, Comparisons: x.Compared}, nil
}

// search fills the list of a row.
func (w *walk) search(row uint32) {
	w.met[row] = row + 1
	w.queue = w.queue[:0]
	query := w.floats[int(row)*w.dim:][:w.dim]
	checked := 0
	for _, root := range w.roots {
		checked += w.descend(row, query, cell{0, root})
	}
	for len(w.queue) > 0 && checked < w.Checks {
		checked += w.descend(row, query, w.queue.pop())
	}
}

// descend goes down to the bucket on the query's side, leaves the other sides in
// the queue, and compares the new rows.
func (w *walk) descend(row uint32, query []float32, c cell) int {
	for {
		n := &w.nodes[c.node]
		if n.left == 0 {
			return w.bucket(row, w.rows[n.from:n.to])
		}
		off := query[n.coordinate] - n.at
		near, far := n.left, n.right
		if off >= 0 {
			near, far = far, near
		}
		w.queue.push(cell{c.distance + off*off, far})
		c.node = near
	}
}

// bucket compares the rows of a bucket that the query has not met.
func (w *walk) bucket(row uint32, rows []uint32) int {
	w.ids = w.ids[:0]
	for _, id := range rows {
		if w.met[id] != row+1 {
			w.met[id] = row + 1
			w.ids = append(w.ids, id)
		}
	}
	for len(w.keys) < len(w.ids) {
		w.keys = append(w.keys, 0)
	}
	w.x.Keys(row, w.ids, w.keys)
	for i, id := range w.ids {
		w.lists.Offer(row, id, w.keys[i])
	}
	return len(w.ids)
}
