// Package block encodes and decodes adjacency blocks, the values that hold the lists of 16
// rows. The comment of package store describes their format.
package block

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Rows is the number of rows in a block: at k = 20 a block of 2.6 KB fills most of a 4 KB
// block of Pebble's. Fewer rows would need more keys; more would make a lookup unpack more
// than it returns.
const Rows = 16

// Bytes of a count. A list has at most 65,535 entries, but any number of rows may list the
// same row.
const (
	OutCount = 2
	InCount  = 4
)

// A Builder gathers the lists of up to Rows rows.
type Builder struct {
	CountBytes int // OutCount or InCount

	rows      int
	counts    [Rows]uint32
	neighbors []uint32
	keys      []float32
}

// Add adds the list of the next row.
func (b *Builder) Add(neighbors []uint32, keys []float32) {
	b.counts[b.rows] = uint32(len(neighbors))
	b.rows++
	b.neighbors = append(b.neighbors, neighbors...)
	b.keys = append(b.keys, keys...)
}

// Len returns how many rows were added.
func (b *Builder) Len() int { return b.rows }

// Reset empties the builder and keeps its memory.
func (b *Builder) Reset() {
	b.rows, b.neighbors, b.keys = 0, b.neighbors[:0], b.keys[:0]
}

// AppendTo appends the encoded block to dst.
func (b *Builder) AppendTo(dst []byte) []byte {
	dst = append(dst, byte(b.rows))
	for _, c := range b.counts[:b.rows] {
		if b.CountBytes == OutCount {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(c))
		} else {
			dst = binary.LittleEndian.AppendUint32(dst, c)
		}
	}
	at := 0
	for _, c := range b.counts[:b.rows] {
		for _, n := range b.neighbors[at : at+int(c)] {
			dst = binary.LittleEndian.AppendUint32(dst, n)
		}
		for _, k := range b.keys[at : at+int(c)] {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(k))
		}
		at += int(c)
	}
	return dst
}

// Count returns how many entries row i of a block has. The block must hold its count.
func Count(block []byte, i, countBytes int) int {
	if countBytes == OutCount {
		return int(binary.LittleEndian.Uint16(block[1+2*i:]))
	}
	return int(binary.LittleEndian.Uint32(block[1+4*i:]))
}

// Row returns the bytes of the neighbors and of the keys of row i of a block.
func Row(block []byte, i, countBytes int) (neighbors, keys []byte, err error) {
	if len(block) < 1 {
		return nil, nil, errors.New("empty adjacency block")
	}
	rows := int(block[0])
	if rows == 0 || rows > Rows || len(block) < 1+countBytes*rows {
		return nil, nil, fmt.Errorf("adjacency block of %d rows in %d bytes", rows, len(block))
	}
	if i >= rows {
		return nil, nil, fmt.Errorf("row %d of an adjacency block of %d", i, rows)
	}
	at, total, own := 0, 0, 0
	for j := range rows {
		c := Count(block, j, countBytes)
		if j < i {
			at += c
		} else if j == i {
			own = c
		}
		total += c
	}
	body := block[1+countBytes*rows:]
	if len(body) != 8*total {
		return nil, nil, fmt.Errorf("%d bytes for %d entries, want %d", len(body), total, 8*total)
	}
	list := body[8*at : 8*(at+own)]
	return list[:4*own], list[4*own:], nil
}

// Uint32s appends encoded integers, such as neighbors, to dst.
func Uint32s(dst []uint32, data []byte) []uint32 {
	at := len(dst)
	dst = slices.Grow(dst, len(data)/4)[:at+len(data)/4]
	for i := range dst[at:] {
		dst[at+i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return dst
}

// Float32s appends encoded keys to dst.
func Float32s(dst []float32, data []byte) []float32 {
	at := len(dst)
	dst = slices.Grow(dst, len(data)/4)[:at+len(data)/4]
	for i := range dst[at:] {
		dst[at+i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return dst
}
