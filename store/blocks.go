package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Values of bulk data; those of subgraphs are in partial.go. Integers are
// little-endian. Decoders check every length against the value at hand before they
// allocate.

func appendUint32s(dst []uint32, data []byte) []uint32 {
	at := len(dst)
	dst = slices.Grow(dst, len(data)/4)[:at+len(data)/4]
	for i := range dst[at:] {
		dst[at+i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return dst
}

func appendFloat32s(dst []float32, data []byte) []float32 {
	at := len(dst)
	dst = slices.Grow(dst, len(data)/4)[:at+len(data)/4]
	for i := range dst[at:] {
		dst[at+i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return dst
}

// adjacencyRows is the rows of one adjacency block: at k = 20 a block of 2.6 KB
// fills most of a 4 KB Pebble block. With fewer a key is spent on less; with
// more a lookup unpacks what it does not want.
const adjacencyRows = 16

// Bytes of a count in an adjacency block. A list has at most 65,535 entries,
// but any number of rows may list the same one.
const (
	outCount = 2
	inCount  = 4
)

// An adjacency block holds the lists of rows 16*b to 16*b+15, or to the last:
//
//	u8 rows
//	rows times: entries, u16 (in-neighbors: u32)
//	for each row in turn: its neighbors, u32 input rows, then its keys, f32
//
// so that a row is found without reading those before it.
type adjacencyBlock struct {
	countBytes int // outCount or inCount
	rows       int
	counts     [adjacencyRows]uint32
	neighbors  []uint32
	keys       []float32
}

func (b *adjacencyBlock) add(neighbors []uint32, keys []float32) {
	b.counts[b.rows] = uint32(len(neighbors))
	b.rows++
	b.neighbors = append(b.neighbors, neighbors...)
	b.keys = append(b.keys, keys...)
}

func (b *adjacencyBlock) appendTo(dst []byte) []byte {
	dst = append(dst, byte(b.rows))
	for _, c := range b.counts[:b.rows] {
		if b.countBytes == outCount {
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

func (b *adjacencyBlock) reset() {
	b.rows, b.neighbors, b.keys = 0, b.neighbors[:0], b.keys[:0]
}

// countOf reads the entries of row i of an adjacency block.
func countOf(block []byte, i, countBytes int) int {
	if countBytes == outCount {
		return int(binary.LittleEndian.Uint16(block[1+2*i:]))
	}
	return int(binary.LittleEndian.Uint32(block[1+4*i:]))
}

// rowOfBlock finds row i of an adjacency block: the bytes of its neighbors and
// of its keys.
func rowOfBlock(block []byte, i, countBytes int) (neighbors, keys []byte, err error) {
	if len(block) < 1 {
		return nil, nil, fmt.Errorf("empty adjacency block")
	}
	rows := int(block[0])
	if rows == 0 || rows > adjacencyRows || len(block) < 1+countBytes*rows {
		return nil, nil, fmt.Errorf("adjacency block of %d rows in %d bytes", rows, len(block))
	}
	if i >= rows {
		return nil, nil, fmt.Errorf("row %d of an adjacency block of %d", i, rows)
	}
	at, total, own := 0, 0, 0
	for j := range rows {
		c := countOf(block, j, countBytes)
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
