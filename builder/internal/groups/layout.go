package groups

import (
	"math"
	"slices"
	"sort"
)

// Layout describes how the rows of leaders form leaves, and leaves form groups. It depends only on the number
// of rows of every leader.
type Layout struct {
	cuts   []cut  // of every leader
	leaves uint32 // their number
	groups []group
}

// A cut makes leaves of one leader's rows: if they are too many, it cuts them, in the order of rows, into
// leaves of equal size.
type cut struct {
	first uint32 // number of the first leaf
	rows  uint32 // of all its leaves
	size  uint32 // rows of each leaf but the last
}

// A group is a range of consecutive leaves.
type group struct{ from, to uint32 }

// cutAt is the largest size of a leaf, as a multiple of the mean. Leaves of dense regions have a few times
// the mean, and a leaf costs the square of its rows; without a limit, a row repeated a million times would
// have a leaf of a million. On 1,000,000 SIFT descriptors a cutAt of 8 took 6 to 8 % more pairs and found no
// more (recall 0.731 instead of 0.735 after one division, 0.941 instead of 0.946 after three).
const cutAt = 4

// NewLayout cuts the leaves of leaders with these numbers of rows, and forms groups of consecutive leaves,
// with at most groupRows rows or one leaf.
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

// rounded returns x/y, rounded up, without overflow.
func rounded(x, y uint32) uint32 { return uint32((uint64(x) + uint64(y) - 1) / uint64(y)) }

// Groups returns the number of groups.
func (l *Layout) Groups() int { return len(l.groups) }

// LeavesOf returns the number of leaves of a group.
func (l *Layout) LeavesOf(g int) int { return int(l.groups[g].to - l.groups[g].from) }

// leafSizes returns the number of rows of every leaf.
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

// gather forms groups of leaves. Leaves may share rows, so the sum of their sizes is a bound.
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

// groupOf returns the group of every leaf.
func (l *Layout) groupOf() []uint32 {
	of := make([]uint32, 0, l.leaves)
	for g, x := range l.groups {
		for range x.to - x.from {
			of = append(of, uint32(g))
		}
	}
	return of
}

// Members finds the leaves and groups of rows, one row after another.
type Members struct {
	layout *Layout
	first  uint32   // first leader whose leaves are searched
	count  uint32   // number of these leaders
	of     []uint32 // groups of leaves
	met    []uint32 // rows of every leader so far
	leaves []uint32 // of the current row
	groups []uint32 // likewise, each once

	inGroup []uint16 // the leaves, as numbers within a group
}

// Members returns a Members for the rows after which met counts: met holds the number of earlier rows of
// every leader, and is updated.
func (l *Layout) Members(overlap int, met []uint32) *Members {
	return &Members{layout: l, count: uint32(len(l.cuts)), of: l.groupOf(), met: met, leaves: make([]uint32, overlap), groups: make([]uint32, 0, overlap),
		inGroup: make([]uint16, overlap)}
}

// only limits the search to leaders with leaves in the groups of a batch, and perhaps a few more, so that
// tables of other leaders stay out of caches. Searching all leaves took a seventh of the processor time of a
// division of 20,000,000 rows.
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

// has reports whether the leaves of a leader are searched.
func (m *Members) has(leader uint32) bool { return leader-m.first < m.count }

// none marks a leaf that is not searched.
const none = math.MaxUint32

// Next moves to the next row, which has these leaders, and returns its groups.
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

// Before moves to the row before the current one, and returns its groups. Rows come in descending order, and
// met counts the rows of every leader up to the current one.
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

// show sets the j-th leaf of the current row, from a leader and its number of earlier rows.
func (m *Members) show(j int, leader uint32) {
	c := &m.layout.cuts[leader]
	m.leaves[j] = c.first + m.met[leader]/c.size
	if g := m.of[m.leaves[j]]; !slices.Contains(m.groups, g) {
		m.groups = append(m.groups, g)
	}
}

// Count returns the number of rows of every group, for rows with the leaders in assigned.
func (l *Layout) Count(m *Members, assigned []uint32) []int {
	rows := make([]int, len(l.groups))
	for overlap := len(m.leaves); len(assigned) > 0; assigned = assigned[overlap:] {
		for _, g := range m.Next(assigned[:overlap]) {
			rows[g]++
		}
	}
	return rows
}
