package groups

import "slices"

// mostBlocks bounds the blocks of consecutive groups by which batches in memory are cut.
const mostBlocks = 128

// meetings counts rows by each block of groups that they stand in and the one before it in which they stand too. So
// it tells in how many rows all groups of some consecutive blocks are: a row counts for the first of them.
type meetings struct {
	per    int      // groups of a block
	blocks int      // in all
	rows   []uint32 // with block b after block a: rows[(a+1)*blocks+b]; a is -1 for the first
}

func newMeetings(groups int) meetings {
	per := (groups + mostBlocks - 1) / mostBlocks
	blocks := (groups + per - 1) / per
	return meetings{per, blocks, make([]uint32, (blocks+1)*blocks)}
}

// add counts a row. It sorts groups.
func (m *meetings) add(groups []uint32) {
	slices.Sort(groups)
	before := -1
	for _, g := range groups {
		if b := int(g) / m.per; b != before {
			m.rows[(before+1)*m.blocks+b]++
			before = b
		}
	}
}

// meet is how many rows stand in a block, but in none of those from first up to it.
func (m *meetings) meet(first, block int) (rows int) {
	for before := 0; before <= first; before++ {
		rows += int(m.rows[before*m.blocks+block])
	}
	return rows
}

// countGroups counts the rows of every group in a stretch.
func (l *Leaves) countGroups(s *stretch) {
	s.rows, s.meets = make([]int, l.Groups()), newMeetings(l.Groups())
	m := l.members(s, l.all())
	for place := s.from; place < s.to; place++ {
		groups := m.Next(l.leadersAt(place))
		for _, g := range groups {
			s.rows[g]++
		}
		s.meets.add(groups)
	}
}

// once is how many rows of a stretch stand in a batch of whole blocks.
func (s *stretch) once(b Batch) (rows int) {
	first := b.From / s.meets.per
	for block := first; block*s.meets.per < b.To; block++ {
		rows += s.meets.meet(first, block)
	}
	return rows
}
