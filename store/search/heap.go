package search

import (
	"math"
	"slices"
)

// An entry is a key and a place, or a row, in one number: entries are in the order of the
// keys, then of the places.
type entry = uint64

// entryOf packs a key and a place.
func entryOf(key float32, place uint32) entry {
	b := math.Float32bits(key)
	if b>>31 != 0 {
		b = ^b
	} else {
		b |= 1 << 31
	}
	return uint64(b)<<32 | uint64(place)
}

// keyOf is the key of an entry.
func keyOf(e entry) float32 {
	b := uint32(e >> 32)
	if b>>31 != 0 {
		b &^= 1 << 31
	} else {
		b = ^b
	}
	return math.Float32frombits(b)
}

// A heap has its least number first.
type heap []uint64

func (h *heap) push(e uint64) {
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

func (h *heap) pop() uint64 {
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
func (s heap) sink(e uint64) {
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

// A nearest keeps the least entries offered: as many as it has room for, and beyond these
// all that are at most least. The heap holds complements, so that the worst is first.
type nearest struct {
	heap heap
	room int
	keep entry // entries up to it stay, whatever the room
}

func (n *nearest) reset(room int, keep entry) { n.heap, n.room, n.keep = n.heap[:0], room, keep }

// bound is an entry that none above it is wanted: the worst of those kept where these fill
// the room.
func (n *nearest) bound() entry {
	switch {
	case len(n.heap) < n.room:
		return math.MaxUint64
	case len(n.heap) == 0:
		return n.keep
	}
	return max(^n.heap[0], n.keep)
}

func (n *nearest) offer(e entry) {
	if len(n.heap) < n.room || e <= n.keep {
		n.heap.push(^e)
		for len(n.heap) > n.room && ^n.heap[0] > n.keep {
			n.heap.pop()
		}
		return
	}
	if n.room > 0 && ^e > n.heap[0] && ^n.heap[0] > n.keep {
		n.heap.sink(^e)
	}
}

// sorted turns the kept into ascending entries, which take the heap's memory.
func (n *nearest) sorted() []entry {
	for i, e := range n.heap {
		n.heap[i] = ^e
	}
	slices.Sort(n.heap)
	return n.heap
}
