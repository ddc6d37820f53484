// Package kdtree finds the exact k nearest neighbors of all rows of few dimensions with a k-d tree (Bentley,
// "Multidimensional binary search trees used for associative searching", 1975; Friedman, Bentley, Finkel, "An
// algorithm for finding best matches in logarithmic expected time", 1977).
//
// A node is a range of positions, halved until it has at most leafRows rows. So the shape of the tree depends
// only on the number of rows, its depth is bounded for any data, and rows that are written in the tree's
// order need no second sorting. A node is split along the widest side of its box, at the median by
// (coordinate, row).
//
// Keys are those of package distance for euclidean rows of at most MaxDim elements, to the bit, and lists are
// ordered by (key, row): they are the lists of brute force.
package kdtree

import (
	"math"
	"sync"
)

// MaxDim is the largest dimension. In more dimensions a search visits most of the tree.
const MaxDim = 8

// leafRows is the most rows of a leaf. With 8, descending costs more than comparing; with 64, three times as
// many pairs are compared. A million uniform points of two dimensions take 1.3, 1.0 and 1.7 s with 8, 24 and
// 64.
const leafRows = 24

// A Tree holds rows by position, which is their order in the tree. It does not change after it is made, and
// is safe for concurrent use.
type Tree struct {
	n, dim int
	values []float32 // element j of position p is values[p*dim+j]
	rows   []uint32  // rows[p] decides ties
	boxes  []box     // of node i; its children are 2i+1 and 2i+2
	levels int       // nodes of level levels-1 are leaves
}

// A box is the smallest box around the rows of a node.
type box struct {
	low, high [MaxDim]float32
	least     uint32 // smallest of its rows
}

// New sorts rows into a tree. Element j of row i is values[i*dim+j]; values are reordered in place and kept.
// It also returns the order: order[p] is the row at position p.
func New(values []float32, dim, threads int) (t *Tree, order []uint32) {
	n := len(values) / dim
	order = make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	s := &sorter{values: values, dim: dim, rows: order, parallel: parallelLevels(threads)}
	s.sort(0, n, levelsOf(n)-1, 0)
	return Ordered(values, dim, order, threads), order
}

// Ordered makes the tree of rows that are in the order of New. rows[p] is the row at position p. Both slices
// are kept.
func Ordered(values []float32, dim int, rows []uint32, threads int) *Tree {
	n := len(values) / dim
	t := &Tree{n: n, dim: dim, values: values, rows: rows, levels: levelsOf(n)}
	t.boxes = make([]box, 1<<t.levels-1)
	t.bound(0, 0, n, 0, parallelLevels(threads))
	return t
}

// Bytes returns about the memory of a tree of n rows, besides New's arguments.
func Bytes(n int64) int64 {
	const boxBytes = 8*MaxDim + 4
	return boxBytes * (1<<levelsOf(int(n)) - 1)
}

// levelsOf returns the number of levels of a tree of n rows: enough for leaves of at most leafRows rows.
func levelsOf(n int) (levels int) {
	for levels = 1; n > leafRows; levels++ {
		n = (n + 1) / 2
	}
	return levels
}

// half returns the position at which a node splits.
func half(from, to int) int { return from + (to-from+1)/2 }

// parallelLevels is the number of levels whose nodes run in goroutines.
func parallelLevels(threads int) (levels int) {
	for 1<<levels < 2*threads {
		levels++
	}
	return levels
}

// both runs two functions, in parallel if asked to.
func both(parallel bool, a, b func()) {
	if !parallel {
		a()
		b()
		return
	}
	var g sync.WaitGroup
	g.Go(a)
	b()
	g.Wait()
}

// bound sets the boxes of a node and of those below it.
func (t *Tree) bound(node, from, to, level, parallel int) {
	if level == t.levels-1 {
		t.boxes[node] = t.boxOf(from, to)
		return
	}
	mid := half(from, to)
	both(level < parallel,
		func() { t.bound(2*node+1, from, mid, level+1, parallel) },
		func() { t.bound(2*node+2, mid, to, level+1, parallel) })
	a, b := &t.boxes[2*node+1], &t.boxes[2*node+2]
	t.boxes[node].least = min(a.least, b.least)
	for j := range t.dim {
		t.boxes[node].low[j], t.boxes[node].high[j] = min(a.low[j], b.low[j]), max(a.high[j], b.high[j])
	}
}

// boxOf returns the box of the rows at some positions; for none it is empty, infinitely far from everything.
func (t *Tree) boxOf(from, to int) (b box) {
	b.least = math.MaxUint32
	for j := range t.dim {
		b.low[j], b.high[j] = float32(math.Inf(1)), float32(math.Inf(-1))
	}
	for p := from; p < to; p++ {
		b.least = min(b.least, t.rows[p])
		for j, x := range t.values[p*t.dim : (p+1)*t.dim] {
			b.low[j], b.high[j] = min(b.low[j], x), max(b.high[j], x)
		}
	}
	return b
}
