package groups

import "slices"

// mostBlocks is the most blocks of consecutive groups from which batches in memory are formed.
const mostBlocks = 128

// meetings counts rows by pairs of blocks of groups: a block that the row is in, and the previous block that
// it is in. From this follows the number of rows in a range of blocks: a row counts for the first of them.
type meetings struct {
	per    int      // groups of a block
	blocks int      // number of blocks
	rows   []uint32 // in block b, and before it in block a: rows[(a+1)*blocks+b]; a is -1 if b is the first
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

// meet returns the number of rows that are in a block, but in no block from first up to it.
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

// once returns the number of rows of a stretch in a batch of whole blocks.
func (s *stretch) once(b Batch) (rows int) {
	first := b.From / s.meets.per
	for block := first; block*s.meets.per < b.To; block++ {
		rows += s.meets.meet(first, block)
	}
	return rows
}
