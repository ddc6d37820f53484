// Package walk holds the sets of a walk over a graph: a heap of the places that are open, the
// nearest that were found, and the places that were visited. Package search walks finished
// stores by them, and package living stores that are written to.
package walk

import (
	"math"
	"slices"
)

// An Entry is a key and a place, or a row, in one number: entries are in the order of the
// keys, then of the places.
type Entry = uint64

// EntryOf packs a key and a place.
func EntryOf(key float32, place uint32) Entry {
	b := math.Float32bits(key)
	if b>>31 != 0 {
		b = ^b
	} else {
		b |= 1 << 31
	}
	return uint64(b)<<32 | uint64(place)
}

// KeyOf is the key of an entry.
func KeyOf(e Entry) float32 {
	b := uint32(e >> 32)
	if b>>31 != 0 {
		b &^= 1 << 31
	} else {
		b = ^b
	}
	return math.Float32frombits(b)
}

// A Heap has its least number first.
type Heap []uint64

// Push adds a number.
func (h *Heap) Push(e uint64) {
	s := append(*h, e)
	*h = s
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if s[up] <= e {
			break
		}
		s[i], i = s[up], up
	}
	s[i] = e
}

// Pop takes the least out.
func (h *Heap) Pop() uint64 {
	s := *h
	least, last := s[0], len(s)-1
	e := s[last]
	*h = s[:last]
	if last > 0 {
		s[:last].sink(e)
	}
	return least
}

// sink puts e in place of the first.
func (s Heap) sink(e uint64) {
	i := 0
	for {
		down := 2*i + 1
		if down >= len(s) {
			break
		}
		if down+1 < len(s) && s[down+1] < s[down] {
			down++
		}
		if s[down] >= e {
			break
		}
		s[i], i = s[down], down
	}
	s[i] = e
}

// A Nearest keeps the least entries offered: as many as it has room for, and beyond these
// all that are at most least. The heap holds complements, so that the worst is first.
type Nearest struct {
	Heap Heap // of the kept, as complements
	room int
	Keep Entry // entries up to it stay, whatever the room
}

// Reset drops all, and begins with room for so many and entries that stay.
func (n *Nearest) Reset(room int, keep Entry) { n.Heap, n.room, n.Keep = n.Heap[:0], room, keep }

// Grow makes room for so many more.
func (n *Nearest) Grow(more int) { n.room += more }

// Bound is an entry that none above it is wanted: the worst of those kept where these fill
// the room.
func (n *Nearest) Bound() Entry {
	switch {
	case len(n.Heap) < n.room:
		return math.MaxUint64
	case len(n.Heap) == 0:
		return n.Keep
	}
	return max(^n.Heap[0], n.Keep)
}

// Offer keeps an entry where there is room for it, or it is nearer than the worst.
func (n *Nearest) Offer(e Entry) {
	if len(n.Heap) < n.room || e <= n.Keep {
		n.Heap.Push(^e)
		for len(n.Heap) > n.room && ^n.Heap[0] > n.Keep {
			n.Heap.Pop()
		}
		return
	}
	if n.room > 0 && ^e > n.Heap[0] && ^n.Heap[0] > n.Keep {
		n.Heap.sink(^e)
	}
}

// Sorted turns the kept into ascending entries, which take the heap's memory.
func (n *Nearest) Sorted() []Entry {
	for i, e := range n.Heap {
		n.Heap[i] = ^e
	}
	slices.Sort(n.Heap)
	return n.Heap
}
