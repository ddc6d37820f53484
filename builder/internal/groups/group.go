package groups

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/builder/internal/offheap"
)

// elsewhere marks a leaf that is not in the group; no leaf of a group has this number.
const elsewhere = math.MaxUint16

// A record is a row in a spill: its place, its leaves as numbers within the group, and its elements.

// RecordBytes returns the size of a record.
func RecordBytes(overlap, rowBytes int) int { return recordHead(overlap) + rowBytes }

func recordHead(overlap int) int { return 4 + 2*overlap }

// own writes the leaves of the current row as numbers within group g.
func (m *Members) own(leaves []uint16, g uint32) {
	in := m.layout.groups[g]
	for j, leaf := range m.leaves {
		leaves[j] = elsewhere
		if leaf >= in.from && leaf < in.to {
			leaves[j] = uint16(leaf - in.from)
		}
	}
}

// Record appends the record of the current row for group g.
func (m *Members) Record(buf []byte, g uint32, place uint32, row []byte) []byte {
	buf = binary.LittleEndian.AppendUint32(buf, place)
	m.own(m.inGroup, g)
	for _, leaf := range m.inGroup {
		buf = binary.LittleEndian.AppendUint16(buf, leaf)
	}
	return append(buf, row...)
}

// A Group holds the rows of a group in memory.
type Group struct {
	Memory *offheap.Ledger // of Rows; nil: no limit
	block  offheap.Block[byte]

	Places []uint32 // ascending
	Rows   []byte   // their elements, one row after the other
	ids    []uint32 // rows of leaf i, as numbers in Places: ids[starts[i]:starts[i+1]]
	starts []uint32
	leafOf []uint16 // Overlap entries per row
	buffer []byte
}

// Leaves returns the number of leaves of the group.
func (g *Group) Leaves() int { return len(g.starts) - 1 }

// Leaf returns the rows of a leaf as numbers in Places, ascending.
func (g *Group) Leaf(i int) []uint32 { return g.ids[g.starts[i]:g.starts[i+1]] }

// Clear removes all rows, and makes room for new ones.
func (g *Group) Clear(rows, rowBytes int) (err error) {
	if g.Memory == nil {
		g.Memory = new(offheap.Ledger)
	}
	g.Places, g.leafOf = slices.Grow(g.Places[:0], rows), g.leafOf[:0]
	if size := rows * rowBytes; size > len(g.block.Slice) {
		g.block.Free()
		if g.block, err = offheap.Take[byte](g.Memory, size); err != nil {
			return err
		}
	}
	g.Rows = g.block.Slice[:0]
	return nil
}

// Free frees the memory of the rows, which may not be used afterwards.
func (g *Group) Free() {
	g.block.Free()
	*g = Group{Memory: g.Memory}
}

// Add adds records.
func (g *Group) Add(records []byte, overlap, rowBytes int) {
	head, record := recordHead(overlap), RecordBytes(overlap, rowBytes)
	for ; len(records) >= record; records = records[record:] {
		g.Places = append(g.Places, binary.LittleEndian.Uint32(records))
		for j := range overlap {
			g.leafOf = append(g.leafOf, binary.LittleEndian.Uint16(records[4+2*j:]))
		}
		g.Rows = append(g.Rows, records[head:record]...)
	}
}

// Check checks the records against the numbers of leaves and of all rows, since they may come from a damaged
// file.
func (g *Group) Check(leaves, n int) error {
	for i, place := range g.Places {
		if int(place) >= n || i > 0 && g.Places[i-1] >= place {
			return fmt.Errorf("groups: row %d of a group has place %d of %d, want ascending places", i, place, n)
		}
	}
	for i, leaf := range g.leafOf {
		if leaf != elsewhere && int(leaf) >= leaves {
			return fmt.Errorf("groups: assignment %d of a group names leaf %d of %d", i, leaf, leaves)
		}
	}
	return nil
}

// Index lists the rows of every leaf.
func (g *Group) Index(leaves, overlap int) {
	g.starts = append(g.starts[:0], make([]uint32, leaves+1)...)
	for _, leaf := range g.leafOf {
		if leaf != elsewhere {
			g.starts[leaf+1]++
		}
	}
	for i := range leaves {
		g.starts[i+1] += g.starts[i]
	}
	g.ids = append(g.ids[:0], make([]uint32, g.starts[leaves])...)
	next := slices.Clone(g.starts[:leaves])
	for at, leaf := range g.leafOf {
		if leaf != elsewhere {
			g.ids[next[leaf]] = uint32(at / overlap)
			next[leaf]++
		}
	}
}
