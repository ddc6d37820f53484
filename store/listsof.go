package store

import (
	"encoding/binary"
	"fmt"
)

// listsOf says what blocks hold.
type listsOf struct {
	tag        byte
	countBytes int
	rows       int
	k          int // entries of a list that is not empty; anyLength of in-neighbors
	valid      func(neighbors []byte) error
}

const anyLength = -1

// blocks is how many blocks there are.
func (l *listsOf) blocks() int { return (l.rows + adjacencyRows - 1) / adjacencyRows }

// outLists are the lists of the rows themselves.
func outLists(shape Shape) listsOf {
	return listsOf{tag: tagAdjacency, countBytes: outCount, rows: shape.Rows, k: shape.K, valid: shape.valid}
}

// inLists are the in-neighbors.
func inLists(rows int) listsOf {
	return listsOf{tag: tagReverse, countBytes: inCount, rows: rows, k: anyLength, valid: Shape{Rows: rows}.inRange}
}

// valid checks what a damaged block could make a caller trip over.
func (s Shape) valid(neighbors []byte) error {
	if len(neighbors) != 0 && len(neighbors) != 4*s.K {
		return fmt.Errorf("%d neighbors, want %d", len(neighbors)/4, s.K)
	}
	return s.inRange(neighbors)
}

func (s Shape) inRange(neighbors []byte) error {
	for i := 0; i < len(neighbors); i += 4 {
		if n := binary.LittleEndian.Uint32(neighbors[i:]); uint64(n) >= uint64(s.Rows) {
			return fmt.Errorf("neighbor %d, want below %d", n, s.Rows)
		}
	}
	return nil
}

// fullBlock is the length of a block in which every row has k entries, or of what
// says the length.
func (l *listsOf) fullBlock() int {
	return 1 + l.countBytes*adjacencyRows + 8*max(l.k, 0)*adjacencyRows
}

// check looks at all lists of a block; even is whether every row has k entries.
func (l *listsOf) check(b int, block []byte) (even bool, err error) {
	first := b * adjacencyRows
	rows := min(adjacencyRows, l.rows-first)
	if int(block[0]) != rows {
		return false, fmt.Errorf("%d rows in the block of row %d, want %d", block[0], first, rows)
	}
	even = true
	for i := range rows {
		neighbors, _, err := rowOfBlock(block, i, l.countBytes)
		if err == nil {
			err = l.valid(neighbors)
		}
		if err != nil {
			return false, fmt.Errorf("row %d: %w", first+i, err)
		}
		even = even && len(neighbors) == 4*l.k
	}
	return even, nil
}
