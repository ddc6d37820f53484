package shards

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/knn"
)

// encodeList appends a list as sections hold it: its place and the number of its entries, then its
// neighbors, then their keys.
func encodeList(data []byte, place uint32, ids []uint32, keys []float32) []byte {
	data = binary.LittleEndian.AppendUint32(data, place)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(ids)))
	for _, id := range ids {
		data = binary.LittleEndian.AppendUint32(data, id)
	}
	for _, key := range keys {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(key))
	}
	return data
}

// listBytes is about how much of lists is encoded before it is written.
const listBytes = 1 << 20

// writeLists writes a section of lists, of which empty ones are left out: as encodeLists has them.
func writeLists(out *pieces.Writer, key uint64, lists *knn.Lists, first, n int) error {
	size := 0
	for i := range n {
		if ids, _ := lists.List(uint32(i)); len(ids) > 0 {
			size += 8 + 8*len(ids)
		}
	}
	section := out.Section(key, int64(size))
	data := make([]byte, 0, min(size, listBytes+8+8*lists.K))
	for i := range n {
		if ids, keys := lists.List(uint32(i)); len(ids) > 0 {
			data = encodeList(data, uint32(first+i), ids, keys)
		}
		if len(data) >= listBytes || i+1 == n {
			if _, err := section.Write(data); err != nil {
				return err
			}
			data = data[:0]
		}
	}
	section.End()
	return nil
}

var errCutList = errors.New("a list is cut short")

// eachList calls fn with every list of a section, as they come from the disk: damage of
// their bytes may be told only after the last one.
func eachList(p *pieces.Piece, key uint64, fn func(place uint32, ids []uint32, keys []float32) error) error {
	var r listReader
	err := p.Each(key, 1, func(data []byte) error { return r.take(data, fn) })
	if err == nil && len(r.left) > 0 {
		err = p.Damaged(errCutList)
	}
	return err
}

// listReader decodes lists that come in pieces.
type listReader struct {
	left []byte // the beginning of a list whose end is yet to come
	ids  []uint32
	keys []float32
}

func (r *listReader) take(data []byte, fn func(place uint32, ids []uint32, keys []float32) error) error {
	for len(r.left) > 0 && len(data) > 0 {
		missing := min(r.missing(), len(data))
		r.left, data = append(r.left, data[:missing]...), data[missing:]
		if r.missing() == 0 {
			if err := r.one(r.left, fn); err != nil {
				return err
			}
			r.left = r.left[:0]
		}
	}
	for len(data) > 0 {
		size := sizeOfList(data)
		if size == 0 || size > len(data) {
			r.left = append(r.left, data...)
			return nil
		}
		if err := r.one(data[:size], fn); err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

// missing is how many bytes of the list in left are sure to come.
func (r *listReader) missing() int {
	if size := sizeOfList(r.left); size > 0 {
		return size - len(r.left)
	}
	return 8 - len(r.left)
}

// sizeOfList is the bytes of the list that data begins with; 0 where they do not tell yet.
func sizeOfList(data []byte) int {
	if len(data) < 8 {
		return 0
	}
	return 8 + 8*int(min(binary.LittleEndian.Uint32(data[4:]), 1<<27)) // of a damaged file there may be any number
}

// one decodes a whole list.
func (r *listReader) one(data []byte, fn func(place uint32, ids []uint32, keys []float32) error) error {
	place, n := binary.LittleEndian.Uint32(data), len(data)/8-1
	data = data[8:]
	r.ids, r.keys = r.ids[:0], r.keys[:0]
	for j := range n {
		r.ids = append(r.ids, binary.LittleEndian.Uint32(data[4*j:]))
		r.keys = append(r.keys, math.Float32frombits(binary.LittleEndian.Uint32(data[4*(n+j):])))
	}
	return fn(place, r.ids, r.keys)
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

// encodeLists are lists as sections hold them, empty ones left out; other keys may stand in place of the lists'.
func encodeLists(lists *knn.Lists, other []float32) (data []byte) {
	for i := range uint32(lists.N) {
		ids, keys := lists.List(i)
		if other != nil {
			keys, other = other[:len(ids)], other[len(ids):]
		}
		if len(ids) > 0 {
			data = encodeList(data, i, ids, keys)
		}
	}
	return data
}
