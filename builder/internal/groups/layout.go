package groups

import (
	"math"
	"slices"
	"sort"
)

// Layout says how the rows of leaders become leaves, and leaves groups. It follows from the
// number of rows of every leader.
type Layout struct {
	cuts   []cut  // of every leader
	leaves uint32 // in all
	groups []group
}

// A cut makes leaves of one leader's rows: those that are too many are cut, in the
// order of rows, into leaves of equal size.
type cut struct {
	first uint32 // number of the first leaf
	rows  uint32 // of all its leaves
	size  uint32 // rows of each leaf but the last
}

// group is consecutive leaves.
type group struct{ from, to uint32 }

// cutAt is how many times the mean a leaf may have. Leaves of dense regions have a
// few times the mean, and a leaf costs the square of its rows; those of a row that
// repeats a million times would have a million. On 1,000,000 SIFT descriptors eight
// times cost 6 to 8 % more pairs and find no more (recall 0.731 against 0.735 after
// one division, 0.941 against 0.946 after three).
const cutAt = 4

// NewLayout cuts the leaves of leaders with these numbers of rows, and gathers consecutive
// ones into groups of at most groupRows rows, or of one leaf.
func NewLayout(sizes []uint32, groupRows int64) *Layout {
	assigned := int64(0)
	for _, size := range sizes {
		assigned += int64(size)
	}
	limit := max(1, uint32(min(cutAt*assigned/int64(len(sizes)), groupRows)))
	l := &Layout{cuts: make([]cut, len(sizes))}
	for i, size := range sizes {
		pieces := max(1, rounded(size, limit))
		l.cuts[i] = cut{first: l.leaves, rows: size, size: max(1, rounded(size, pieces))}
		l.leaves += pieces
	}
	l.gather(groupRows)
	return l
}

// rounded is the quotient of two numbers, rounded up, which may be as large as they go.
func rounded(x, y uint32) uint32 { return uint32((uint64(x) + uint64(y) - 1) / uint64(y)) }

// Groups is how many groups there are.
func (l *Layout) Groups() int { return len(l.groups) }

// LeavesOf is how many leaves a group has.
func (l *Layout) LeavesOf(g int) int { return int(l.groups[g].to - l.groups[g].from) }

// leafSizes lists the rows of every leaf.
func (l *Layout) leafSizes() []uint32 {
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
func (l *Layout) gather(groupRows int64) {
	g, rows := group{}, int64(0)
	for leaf, size := range l.leafSizes() {
		full := rows > 0 && rows+int64(size) > groupRows
		if full || uint32(leaf)-g.from == elsewhere {
			l.groups = append(l.groups, g)
			g, rows = group{from: g.to}, 0
		}
		g.to, rows = uint32(leaf)+1, rows+int64(size)
	}
	l.groups = append(l.groups, g)
}

// groupOf lists the group of every leaf.
func (l *Layout) groupOf() []uint32 {
	of := make([]uint32, 0, l.leaves)
	for g, x := range l.groups {
		for range x.to - x.from {
			of = append(of, uint32(g))
		}
	}
	return of
}

// Members tells the leaves and the groups of rows, which are shown one after the other.
type Members struct {
	layout *Layout
	first  uint32   // leader whose leaves are looked for, with some of those after it
	count  uint32   // of them
	of     []uint32 // groups of leaves
	met    []uint32 // rows of every leader so far
	leaves []uint32 // of the row at hand
	groups []uint32 // likewise, each once

	inGroup []uint16 // those leaves in a group
}

// Members begins where the rows before have met so many rows of every leader: at the first
// row none. It counts on in met.
func (l *Layout) Members(overlap int, met []uint32) *Members {
	return &Members{layout: l, count: uint32(len(l.cuts)), of: l.groupOf(), met: met, leaves: make([]uint32, overlap), groups: make([]uint32, 0, overlap),
		inGroup: make([]uint16, overlap)}
}

// only limits the search to leaves in the groups of a batch, and perhaps a few beside them: tables of other leaders stay out of
// caches. To look for the leaves of all took a seventh of the processor's time of a division of 20,000,000 rows.
func (m *Members) only(b Batch) {
	l := m.layout
	from, to := l.groups[b.From].from, l.groups[b.To-1].to
	behind := func(leaf uint32) int {
		return sort.Search(len(l.cuts), func(i int) bool { return l.cuts[i].first >= leaf })
	}
	end := behind(to)
	m.first = uint32(max(1, behind(from+1)) - 1)
	m.count = uint32(end) - m.first
}

// has reports whether leaves of a leader are looked for.
func (m *Members) has(leader uint32) bool { return leader-m.first < m.count }

// none stands for a leaf that is not looked for.
const none = math.MaxUint32

// Next takes the leaders of the next row, and returns the groups that it stands in.
func (m *Members) Next(leaders []uint32) (groups []uint32) {
	m.groups = m.groups[:0]
	for j, leader := range leaders {
		if m.leaves[j] = none; m.has(leader) {
			m.show(j, leader)
			m.met[leader]++
		}
	}
	return m.groups
}

// Before is Next of the row before the one shown last: rows are shown from the last one back, and met has those of
// every leader up to here.
func (m *Members) Before(leaders []uint32) (groups []uint32) {
	m.groups = m.groups[:0]
	for j, leader := range leaders {
		if m.leaves[j] = none; m.has(leader) {
			m.met[leader]--
			m.show(j, leader)
		}
	}
	return m.groups
}

// show is the j-th leaf of a row, which follows a leader after the rows met.
func (m *Members) show(j int, leader uint32) {
	c := &m.layout.cuts[leader]
	m.leaves[j] = c.first + m.met[leader]/c.size
	if g := m.of[m.leaves[j]]; !slices.Contains(m.groups, g) {
		m.groups = append(m.groups, g)
	}
}

// Count counts the rows of every group, of rows whose leaders stand in assigned.
func (l *Layout) Count(m *Members, assigned []uint32) []int {
	rows := make([]int, len(l.groups))
	for overlap := len(m.leaves); len(assigned) > 0; assigned = assigned[overlap:] {
		for _, g := range m.Next(assigned[:overlap]) {
			rows[g]++
		}
	}
	return rows
}
