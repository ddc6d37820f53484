// Package rankorder computes the rank-order distance of Zhu, Wen, Sun 2011, "A
// rank-order distance based clustering algorithm for face tagging" (section
// 3.1): two rows are near when they stand high in each other's lists of
// neighbors and share the neighbors above them.
//
// Let f_a(i) be entry i of the list of a, where f_a(0) is a itself, and O_a(x)
// the rank of x in it, so that O_a(a) is 0 and that of the nearest neighbor 1.
// Then
//
//	d(a,b) = sum of O_b(f_a(i)) for i = 0 .. O_a(b)
//	D(a,b) = (d(a,b) + d(b,a)) / min(O_a(b), O_b(a))
//
// The paper ranks all rows. Here lists are cut at k entries: a row that is not
// in a list has rank k there, like the last one that is, so a sum never runs
// past the end of a list. A minimum of 0 counts as 1. D is symmetric to the bit.
package rankorder

import "math/bits"

// A Comparer compares one row with others. It holds buffers: one per goroutine.
type Comparer struct {
	cut   int
	own   int   // entries of the list of a
	ranks ranks // O_a
	both  []common
}

// common is a row that stands in both lists, with its rank in each.
type common struct{ inA, inB int }

// New returns a comparer of lists cut at cut entries, at least 1.
func New(cut int) *Comparer {
	cut = max(cut, 1)
	return &Comparer{cut: cut, ranks: newRanks(cut + 1), both: make([]common, 0, cut+1)}
}

// From makes a, whose neighbors are given nearest first, the row that To
// compares with. The slice is not kept.
func (c *Comparer) From(a uint32, neighbors []uint32) {
	neighbors = neighbors[:min(c.cut, len(neighbors))]
	c.own = len(neighbors)
	c.ranks.reset()
	c.ranks.add(a, 0)
	for i, row := range neighbors {
		c.ranks.add(row, i+1)
	}
}

// To returns D between the row of From and b, whose neighbors are given nearest
// first. It takes one look at the list of b: the rows in both lists decide all
// terms below k, and every other term is k.
func (c *Comparer) To(b uint32, neighbors []uint32) float32 {
	neighbors = neighbors[:min(c.cut, len(neighbors))]
	rankOfB, rankOfA := c.cut, c.cut // O_a(b), O_b(a)
	c.both = c.both[:0]
	if i, ok := c.ranks.of(b); ok {
		rankOfB = i
		c.both = append(c.both, common{i, 0})
	}
	for j, row := range neighbors {
		if i, ok := c.ranks.of(row); ok {
			c.both = append(c.both, common{i, j + 1})
			if i == 0 {
				rankOfA = j + 1
			}
		}
	}
	if rankOfB == 0 { // a and b are one row
		rankOfA = 0
	}
	sum := c.cut * (terms(rankOfB, c.own) + terms(rankOfA, len(neighbors)))
	for _, x := range c.both {
		if x.inA <= rankOfB {
			sum -= c.cut - x.inB
		}
		if x.inB <= rankOfA {
			sum -= c.cut - x.inA
		}
	}
	return float32(float64(sum) / float64(max(1, min(rankOfB, rankOfA))))
}

// terms is how many entries a sum up to a rank has: the row itself and those of
// its list, which may be shorter than the cut.
func terms(rank, listed int) int { return 1 + min(rank, listed) }

// ranks maps rows to ranks and is emptied in constant time.
type ranks struct {
	slots []slot
	shift int
	epoch uint32
}

type slot struct{ row, epoch, rank uint32 }

// newRanks has room for capacity rows in a table of four times that.
func newRanks(capacity int) ranks {
	width := bits.Len(uint(4*capacity - 1))
	return ranks{slots: make([]slot, 1<<width), shift: 64 - width}
}

func (r *ranks) reset() {
	r.epoch++
	if r.epoch == 0 { // wrapped: slots of 2^32 resets ago would count again
		clear(r.slots)
		r.epoch = 1
	}
}

// find returns the slot of a row, or the free one where it belongs.
func (r *ranks) find(row uint32) *slot {
	at := uint64(row) * 0x9e3779b97f4a7c15 >> r.shift
	for r.slots[at].epoch == r.epoch && r.slots[at].row != row {
		at = (at + 1) & uint64(len(r.slots)-1)
	}
	return &r.slots[at]
}

func (r *ranks) add(row uint32, rank int) {
	if s := r.find(row); s.epoch != r.epoch {
		*s = slot{row, r.epoch, uint32(rank)}
	}
}

func (r *ranks) of(row uint32) (rank int, ok bool) {
	s := r.find(row)
	return int(s.rank), s.epoch == r.epoch
}
