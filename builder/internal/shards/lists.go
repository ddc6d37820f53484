package shards

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/store"
)

// encodeBlock appends lists as sections hold them: of each its place and the number of its
// entries, then their neighbors, then their keys.
func encodeBlock(data []byte, l *store.Lists) []byte {
	for i, place := range l.Rows {
		from, to := l.Starts[i], l.Starts[i+1]
		data = binary.LittleEndian.AppendUint32(data, place)
		data = binary.LittleEndian.AppendUint32(data, to-from)
		for _, id := range l.Neighbors[from:to] {
			data = binary.LittleEndian.AppendUint32(data, id)
		}
		for _, key := range l.Keys[from:to] {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(key))
		}
	}
	return data
}

var errCutList = errors.New("a list is cut short")

// decodeBlock reads lists that encodeBlock wrote; l loses those that it had.
func decodeBlock(data []byte, l *store.Lists) error {
	l.Reset()
	for len(data) > 0 {
		if len(data) < 8 {
			return errCutList
		}
		place, n := binary.LittleEndian.Uint32(data), int(binary.LittleEndian.Uint32(data[4:]))
		data = data[8:]
		if n > len(data)/8 {
			return errCutList
		}
		l.Append(place, nil, nil)
		for j := range n {
			l.Add(binary.LittleEndian.Uint32(data[4*j:]), math.Float32frombits(binary.LittleEndian.Uint32(data[4*(n+j):])))
		}
		data = data[8*n:]
	}
	return nil
}

// readBlock reads the lists of a section.
func readBlock(p *pieces.Piece, key uint64, l *store.Lists) error {
	data, err := p.Get(key, nil)
	if err != nil {
		return err
	}
	if err := decodeBlock(data, l); err != nil {
		return p.Damaged(err)
	}
	return nil
}

// eachList calls fn with every list of a section.
func eachList(p *pieces.Piece, key uint64, fn func(place uint32, ids []uint32, keys []float32) error) error {
	var l store.Lists
	if err := readBlock(p, key, &l); err != nil {
		return err
	}
	for i, place := range l.Rows {
		if err := fn(place, l.Neighbors[l.Starts[i]:l.Starts[i+1]], l.Keys[l.Starts[i]:l.Starts[i+1]]); err != nil {
			return err
		}
	}
	return nil
}

// u32s are numbers as sections hold them.
func u32s(numbers []uint32) []byte {
	data := make([]byte, 0, 4*len(numbers))
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint32(data, x)
	}
	return data
}

// readU32s appends the numbers of a section.
func readU32s(p *pieces.Piece, key uint64, numbers []uint32) ([]uint32, error) {
	err := p.Each(key, 4, func(data []byte) error {
		for ; len(data) > 0; data = data[4:] {
			numbers = append(numbers, binary.LittleEndian.Uint32(data))
		}
		return nil
	})
	return numbers, err
}

// encodeLists are lists as sections hold them: place, count, neighbors, keys. The place of
// list i is first+i. Empty lists are left out; other keys may stand in place of the lists'.
func encodeLists(lists *union.Lists, first int, other []float32) []byte {
	var all store.Lists
	all.Reset()
	for i := range lists.N {
		ids, keys := lists.List(uint32(i))
		if other != nil {
			keys, other = other[:len(ids)], other[len(ids):]
		}
		if len(ids) > 0 {
			all.Append(uint32(first+i), ids, keys)
		}
	}
	return encodeBlock(nil, &all)
}
