// Package division divides the rows of a matrix into leaves: the random
// partition trees of Wang et al., "Scalable k-NN graph construction", sections
// "Multiple random divide-and-conquer" and "Algorithm details".
//
// A division is one partition of all rows into subsets, the leaves, each small
// enough to be solved exactly. Rows that are near each other tend to share a
// leaf; several divisions, each random in its own way, catch the pairs that one
// of them separates.
//
// Tree divides by hyperplanes, as the paper does; Balls by hyperspheres around leaders, in
// overlapping balls; Cells tell which of many leaders are near.
//
// Programs have no use for it. It is importable for bench/theory, which counts the leaves that
// pairs share in trees, beside the paper's model of them.
package division

import "slices"

// Leaves is one division: leaf i holds the places
// Places[Starts[i]:Starts[i+1]], ascending. Leaves are numbered from left to
// right in the tree, so neighboring numbers are neighboring subsets.
type Leaves struct {
	Places []uint32
	Starts []uint32
}

// Len is the number of leaves.
func (l *Leaves) Len() int { return len(l.Starts) - 1 }

// Leaf returns the places of leaf i. The slice points into l.
func (l *Leaves) Leaf(i int) []uint32 { return l.Places[l.Starts[i]:l.Starts[i+1]] }

// Labels returns labels[place] = leaf.
func (l *Leaves) Labels() []uint32 {
	labels := make([]uint32, len(l.Places))
	for i := range l.Len() {
		for _, p := range l.Leaf(i) {
			labels[p] = uint32(i)
		}
	}
	return labels
}

// FromLabels is the inverse of Labels.
func FromLabels(labels []uint32) *Leaves {
	var leaves uint32
	if len(labels) > 0 {
		leaves = slices.Max(labels) + 1
	}
	l := &Leaves{Places: make([]uint32, len(labels)), Starts: make([]uint32, leaves+1)}
	for _, leaf := range labels {
		l.Starts[leaf+1]++
	}
	for i := range leaves {
		l.Starts[i+1] += l.Starts[i]
	}
	next := slices.Clone(l.Starts[:leaves])
	for p, leaf := range labels { // ascending places within every leaf
		l.Places[next[leaf]] = uint32(p)
		next[leaf]++
	}
	return l
}
