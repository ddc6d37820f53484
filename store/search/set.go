package search

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/knng/knng/store"
)

// A Set is a set of rows that may be results. It is safe for concurrent use.
type Set struct {
	of     *Searcher
	places []uint32 // ascending
	bits   []uint64
}

// Only makes a set of rows, which may repeat. It takes 4 bytes for each and a bit for every row of the store,
// and serves any number of queries. Rows without a place in the graph are left out. Errors: store.ErrNoRow,
// store.ErrClosed.
func (s *Searcher) Only(rows []store.Row) (*Set, error) {
	if !s.calls.Enter() {
		return nil, store.ErrClosed
	}
	defer s.calls.Leave()
	set := &Set{of: s, bits: make([]uint64, (s.Len()+63)/64)}
	for _, row := range rows {
		if uint64(row) >= uint64(len(s.places)) {
			return nil, fmt.Errorf("%w: %d, the store has %d rows, from 0", store.ErrNoRow, row, len(s.places))
		}
		if place := s.places[row]; place != noLink && !set.has(place) {
			set.bits[place/64] |= 1 << (place % 64)
			set.places = append(set.places, place)
		}
	}
	slices.Sort(set.places)
	return set, nil
}

// Len returns the number of rows in the set.
func (t *Set) Len() int { return len(t.places) }

func (t *Set) has(place uint32) bool { return t.bits[place/64]>>(place%64)&1 != 0 }

// placeOf returns the place of a row.
func (s *Searcher) placeOf(row store.Row) (uint32, error) {
	if uint64(row) >= uint64(len(s.places)) {
		return 0, fmt.Errorf("%w: %d, the store has %d rows, from 0", store.ErrNoRow, row, len(s.places))
	}
	place := s.places[row]
	if place == noLink {
		return 0, fmt.Errorf("%w: %d has no place in the graph", store.ErrNoRow, row)
	}
	return place, nil
}

// bytesOf views float32 as the raw rows that kernels read.
func bytesOf(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}

// Has reports whether a row has a place in the graph, and so a vector that can be found.
func (s *Searcher) Has(row store.Row) bool {
	return uint64(row) < uint64(len(s.places)) && s.places[row] != noLink
}
