package block

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/vectors"
)

// Tags of the two kinds of blocks in a store.
const (
	TagOut = 0x30 // lists of the rows
	TagIn  = 0x31 // in-neighbors
)

// AnyLength is the K of a layout in which a list may have any length.
const AnyLength = -1

// A Layout describes all blocks under a tag.
type Layout struct {
	Tag        byte
	CountBytes int
	Rows       int
	K          int // entries of a list that is not empty, or AnyLength
}

// Out is the layout of the lists of the rows.
func Out(s Shape) Layout { return Layout{TagOut, OutCount, s.Rows, s.K} }

// In is the layout of in-neighbors.
func In(rows int) Layout { return Layout{TagIn, InCount, rows, AnyLength} }

// Blocks returns how many blocks there are.
func (l *Layout) Blocks() int { return (l.Rows + Rows - 1) / Rows }

// Full returns the size of a block in which every row has K entries; without a fixed K, the
// size of its counts.
func (l *Layout) Full() int { return 1 + l.CountBytes*Rows + 8*max(l.K, 0)*Rows }

// Valid reports an error unless a list has K entries or none, each below the number of rows.
func (l *Layout) Valid(neighbors []byte) error {
	if l.K != AnyLength && len(neighbors) != 0 && len(neighbors) != 4*l.K {
		return fmt.Errorf("%d neighbors, want %d", len(neighbors)/4, l.K)
	}
	for i := 0; i < len(neighbors); i += 4 {
		if n := binary.LittleEndian.Uint32(neighbors[i:]); uint64(n) >= uint64(l.Rows) {
			return fmt.Errorf("neighbor %d, want below %d", n, l.Rows)
		}
	}
	return nil
}

// Check validates all lists of block number b. even reports whether each has K entries.
func (l *Layout) Check(b int, block []byte) (even bool, err error) {
	first := b * Rows
	rows := min(Rows, l.Rows-first)
	if int(block[0]) != rows {
		return false, fmt.Errorf("%d rows in the block of row %d, want %d", block[0], first, rows)
	}
	even = true
	for i := range rows {
		neighbors, _, err := Row(block, i, l.CountBytes)
		if err == nil {
			err = l.Valid(neighbors)
		}
		if err != nil {
			return false, fmt.Errorf("row %d: %w", first+i, err)
		}
		even = even && len(neighbors) == 4*l.K
	}
	return even, nil
}

// A Shape is the record "adjacency" of a store.
type Shape struct {
	Rows  int `json:"rows"`  // rows of the graph, isolated ones included
	K     int `json:"k"`     // length of a list
	Lists int `json:"lists"` // rows with a list
}

// ShapeRecord is the name of that record.
const ShapeRecord = "adjacency"

// Check refuses a shape that no adjacency has.
func (s *Shape) Check() error {
	if s.K < 0 || s.K > math.MaxUint16 || s.Rows < 0 || int64(s.Rows) > vectors.MaxRows || s.Lists < 0 || s.Lists > s.Rows {
		return fmt.Errorf("%w: adjacency of %d rows with k %d, %d lists", storeerr.ErrCorrupt, s.Rows, s.K, s.Lists)
	}
	return nil
}
