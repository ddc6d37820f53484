package parts

import (
	"math"
	"slices"

	"github.com/knng/knng/builder/pages"
)

// Leaves is a division: which leaves every row stands in.
type Leaves struct {
	Division
	assigned pages.Block[uint32] // Overlap a row: leaders, nearest first
	cuts     []cut               // of every leader
	leaves   uint32              // in all
	groups   []group
}

// A cut makes leaves of one leader's rows: those that are too many are cut, in the
// order of rows, into leaves of equal size.
type cut struct {
	first uint32 // number of the first leaf
	rows  uint32 // of all its leaves
	size  uint32 // rows of each leaf but the last
}

// group is consecutive leaves.
type group struct {
	from, to uint32 // leaves
	rows     int    // that stand in one of them
}

// cutAt is how many times the mean a leaf may have. Leaves of dense regions have a
// few times the mean, and a leaf costs the square of its rows; those of a row that
// repeats a million times would have a million. On 1,000,000 SIFT descriptors eight
// times cost 6 to 8 % more pairs and find no more (recall 0.731 against 0.735 after
// one division, 0.941 against 0.946 after three).
const cutAt = 4

// Free gives the memory back.
func (l *Leaves) Free() { l.assigned.Free() }

// Groups is how many groups there are.
func (l *Leaves) Groups() int { return len(l.groups) }

// GroupRows is the rows of a group.
func (l *Leaves) GroupRows(g int) int { return l.groups[g].rows }

// Pairs is how many pairs the leaves of all groups have.
func (l *Leaves) Pairs() (sum int64) {
	for _, size := range l.leafSizes() {
		sum += int64(size) * int64(size-1) / 2
	}
	return sum
}

// group cuts leaves and gathers consecutive ones whose rows together fit GroupBytes.
func (l *Leaves) group() {
	sizes := make([]uint32, l.Leaders)
	for _, leader := range l.assigned.Slice {
		sizes[leader]++
	}
	limit := max(1, uint32(min(int64(cutAt*len(l.assigned.Slice)/l.Leaders), l.groupRows())))
	l.cuts = make([]cut, l.Leaders)
	leaves := uint32(0)
	for i, size := range sizes {
		pieces := max(1, rounded(size, limit))
		l.cuts[i] = cut{first: leaves, rows: size, size: max(1, rounded(size, pieces))}
		leaves += pieces
	}
	l.leaves = leaves
	l.gather()
	l.count()
}

// rounded is the quotient of two numbers, rounded up, which may be as large as they go.
func rounded(x, y uint32) uint32 { return uint32((uint64(x) + uint64(y) - 1) / uint64(y)) }

// groupRows is how many rows a group may have.
func (l *Leaves) groupRows() int64 { return GroupRows(l.GroupBytes, l.RowBytes) }

// GroupRows is how many rows a group of so many bytes may have; of rows that are very
// long at least some leaves.
func GroupRows(groupBytes, rowBytes int64) int64 {
	return min(max(1024, groupBytes/max(1, rowBytes)), math.MaxInt32)
}

// leafSizes lists the rows of every leaf.
func (l *Leaves) leafSizes() []uint32 {
	sizes := make([]uint32, l.leaves)
	for i, c := range l.cuts {
		end := l.leaves
		if i+1 < len(l.cuts) {
			end = l.cuts[i+1].first
		}
		for leaf := c.first; leaf < end && c.rows > 0; leaf++ {
			sizes[leaf] = min(c.size, c.rows)
			c.rows -= sizes[leaf]
		}
	}
	return sizes
}

// gather makes groups of leaves, which may share rows: their sizes are a bound.
func (l *Leaves) gather() {
	g, rows := group{}, int64(0)
	for leaf, size := range l.leafSizes() {
		full := rows > 0 && rows+int64(size) > l.groupRows()
		if full || uint32(leaf)-g.from == elsewhere {
			l.groups = append(l.groups, g)
			g, rows = group{from: g.to}, 0
		}
		g.to, rows = uint32(leaf)+1, rows+int64(size)
	}
	l.groups = append(l.groups, g)
}

// count counts the rows of groups.
func (l *Leaves) count() {
	of := l.groupOf()
	w := l.walk()
	seen := make([]uint32, 0, l.Overlap)
	for at := 0; at < len(l.assigned.Slice); at += l.Overlap {
		seen = seen[:0]
		for j := range l.Overlap {
			if g := of[w.leaf(at+j)]; !slices.Contains(seen, g) {
				seen = append(seen, g)
				l.groups[g].rows++
			}
		}
	}
}

// groupOf lists the group of every leaf.
func (l *Leaves) groupOf() []uint32 {
	of := make([]uint32, 0, l.leaves)
	for g, x := range l.groups {
		for range x.to - x.from {
			of = append(of, uint32(g))
		}
	}
	return of
}

// walk tells leaves in the order of rows.
type walk struct {
	*Leaves
	met []uint32 // rows of every leader so far
}

func (l *Leaves) walk() *walk { return &walk{l, make([]uint32, l.Leaders)} }

// leaf is the leaf that assignment number at belongs to. It is asked for every one
// of them, in order.
func (w *walk) leaf(at int) uint32 {
	leader := w.assigned.Slice[at]
	c := w.cuts[leader]
	leaf := c.first + w.met[leader]/c.size
	w.met[leader]++
	return leaf
}

// A Batch is consecutive groups that are on disk together.
type Batch struct{ From, To int }

// Batches cuts the groups into batches of at most so many bytes, or of one group.
func (l *Leaves) Batches(bytes int64) (batches []Batch) {
	var b Batch
	var sum int64
	for g := range l.groups {
		size := int64(l.groups[g].rows) * int64(l.record())
		if sum > 0 && sum+size > bytes {
			batches = append(batches, b)
			b, sum = Batch{From: g}, 0
		}
		b.To, sum = g+1, sum+size
	}
	return append(batches, b)
}

// record is the bytes of a row in a spill: its head, and its elements.
func (l *Leaves) record() int { return l.recordHead() + rowSize(l.Rows) }

// recordHead is the bytes of the place of a row, and of the leaf of each of its
// assignments as numbered within the group.
func (l *Leaves) recordHead() int { return 4 + 2*l.Overlap }
