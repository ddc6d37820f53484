package analysis

import (
	"cmp"
	"slices"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/distance"
)

// A Partition puts nodes 0 to n-1 into groups. It is a union-find with path
// halving: 4 bytes a node, and 6 ns an edge in locality order
// (BenchmarkComponents). The smaller node becomes the root: union by rank would
// spend another byte a node, and halving alone keeps the paths short. Not safe
// for concurrent use.
type Partition struct {
	parent []uint32
	groups int
}

// NewPartition puts each of n nodes into a group of its own.
func NewPartition(n int) *Partition { return PartitionIn(make([]uint32, n)) }

// PartitionIn is NewPartition of len(memory) nodes, in memory of the caller's.
func PartitionIn(memory []uint32) *Partition {
	p := &Partition{parent: memory, groups: len(memory)}
	for i := range p.parent {
		p.parent[i] = uint32(i)
	}
	return p
}

// Unite makes one group of those of a and b, which must be below n.
func (p *Partition) Unite(a, b uint32) {
	if ra, rb := root(p.parent, a), root(p.parent, b); ra != rb {
		p.parent[max(ra, rb)] = min(ra, rb)
		p.groups--
	}
}

// UniteAll makes one group of that of a and those of others. Where groups have grown,
// most nodes point at the first of theirs already: looking at that alone, the processor
// waits for the memory of several at once.
func (p *Partition) UniteAll(a uint32, others []uint32) {
	ra := root(p.parent, a)
	for _, b := range others {
		if p.parent[b] != ra {
			p.Unite(ra, b)
			ra = root(p.parent, ra)
		}
	}
}

// Of returns the smallest node in the group of a.
func (p *Partition) Of(a uint32) uint32 { return root(p.parent, a) }

// Len is the number of groups.
func (p *Partition) Len() int { return p.groups }

// A Group is a group of a Partition.
type Group struct {
	First uint32 `json:"first"` // its smallest node
	Size  int    `json:"size"`
}

// Groups lists the groups of at least so many nodes, largest first, then by
// smallest node. It takes 4 bytes a node while it works, and 16 a group listed.
func (p *Partition) Groups(least int) []Group {
	sizes := make([]uint32, len(p.parent))
	for i := range p.parent {
		sizes[p.Of(uint32(i))]++
	}
	groups := []Group{}
	for first, size := range sizes {
		if size > 0 && int(size) >= least {
			groups = append(groups, Group{uint32(first), int(size)})
		}
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(a.First, b.First))
	})
	return groups
}

// root finds the representative of a node and halves the path to it.
func root(parent []uint32, a uint32) uint32 {
	for {
		above := parent[a]
		top := parent[above]
		if above == top {
			return top
		}
		parent[a] = top
		a = top
	}
}

// Components counts the connected components of an undirected graph over nodes
// 0 to n-1: the islands of a k-NN graph, if its edges are taken in both
// directions. edges calls yield for every edge, in any order and direction, any
// number of times; its ends must be below n. A node without an edge is a
// component. [Islands] does it for a finished graph and tells which are which.
func Components(n int, edges func(yield func(a, b uint32))) int {
	p := NewPartition(n)
	edges(p.Unite)
	return p.Len()
}

// Islands finds the connected components of g, its edges taken in both
// directions: two rows are in one where neighbors lead from one to the other.
func Islands(g Graph) (*Partition, error) {
	return united(g, func(float32) bool { return true })
}

// parallel is how far from 0 rounding may put the cosine distance of a row to itself:
// some units in the last place of 1, in float64.
const parallel = 1e-15

// Duplicates finds groups of rows that are joined by distances of at most within,
// as people see them; at 0, rows that are the same to the metric: equal rows
// under euclidean, and up to rounding parallel ones under cosine and correlation. Under ip a
// distance says nothing of sameness. A group of equal rows larger than k+1 is
// found as one where the lists are exact, for then all list the same k of it.
func Duplicates(g Graph, within float32) (*Partition, error) {
	s, ok := g.(interface{ Info() store.Info })
	if ok && slices.Contains([]string{distance.Cosine.String(), distance.Correlation.String()}, s.Info().Distance) {
		within = max(within, parallel)
	}
	return united(g, func(key float32) bool { return g.Shown(key) <= within })
}

// united groups rows by the entries whose keys match.
func united(g Graph, match func(key float32) bool) (*Partition, error) {
	p := NewPartition(g.Len())
	err := g.EachKeyed(func(row store.Row, neighbors []uint32, keys []float32) error {
		for i, n := range neighbors {
			if match(keys[i]) {
				p.Unite(uint32(row), n)
			}
		}
		return nil
	})
	return p, err
}
