package search

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// A maker derives links from lists.
type maker struct {
	identity
	g       *store.Store
	order   []uint32 // row of every place
	placeOf []uint32 // of every row
	threads int
	limit   int64 // bytes that the ranges under way take together, as far as may be
	ctx     context.Context
	told    func(places int) // of these more links are made, as far as the lists tell; may be nil

	// scratch makes a file that links are shared out to; nil: there is no room for one.
	scratch func() (scratchFile, error)
}

// table derives the links of all places, range by range and several ranges at a time, and
// gives each to write. It returns the sum of all.
//
// A link that comes in stands in the list of another place, which may be any. So every range
// goes over all lists, or, where there are more ranges than threads, the links are shared out
// to a scratch file first. Lists come in the order of places, so that one touches memory near
// that of the one before, and the result does not depend on ranges or threads.
func (m *maker) table(write func(first int, table []byte) error) (sum uint64, err error) {
	if m.width == 0 {
		return 0, nil
	}
	n, size := m.identity.places, m.rangeSize()
	var shared *spill
	if m.scratch != nil && m.spilledBytes() > 0 {
		file, err := m.scratch()
		if err != nil {
			return 0, err
		}
		defer file.Abort()
		if shared, err = m.distribute(file, size); err != nil {
			return 0, err
		}
	}
	var mu sync.Mutex
	err = vectors.Ranges(m.threads, n, size, func() func(from, to int) error {
		r := &partLinks{maker: m, shared: shared}
		return func(from, to int) error {
			table, err := r.make(from, to)
			if err != nil {
				return err
			}
			part := m.sumOf(table, from)
			mu.Lock()
			sum += part
			mu.Unlock()
			return write(from, table)
		}
	})
	return sum, err
}

// rangeSize is how many places a thread makes links of at a time.
func (m *maker) rangeSize() int {
	perPlace := 4*m.listed + 5*m.width + 4*m.width
	size := max(1, int(m.limit)/m.threads/max(1, perPlace)/sumPlaces) * sumPlaces
	if even := (m.identity.places + m.threads - 1) / m.threads; even < size {
		size = (even + sumPlaces - 1) / sumPlaces * sumPlaces
	}
	return size
}

// spilledBytes is the most that a scratch file takes; 0 where all ranges are made at once.
func (m *maker) spilledBytes() int64 {
	if m.identity.places <= m.threads*m.rangeSize() {
		return 0
	}
	return arcBytes * int64(m.identity.places) * int64(m.listed)
}

// partLinks derives the links of a range of places.
type partLinks struct {
	*maker
	shared   *spill // nil: all lists are looked at
	from, to int
	out      []uint32 // listed entries of each place, by rank
	outs     []uint8
	in       []uint32 // at most width places that list it, by rank, then place
	inRank   []uint8
	ins      []uint8
	row      []uint32 // of a list
	keys     []float32
	chunk    []byte // of shared
	said     int    // places of the range that told knows of
}

func (r *partLinks) make(from, to int) ([]byte, error) {
	n := to - from
	r.from, r.to = from, to
	r.out, r.outs = sized(r.out, n*r.listed), zeroed(r.outs, n)
	r.in, r.inRank, r.ins = sized(r.in, n*r.width), sized(r.inRank, n*r.width), zeroed(r.ins, n)
	first, last := 0, len(r.order)
	if r.shared != nil {
		first, last = from, to
		var err error
		r.chunk, err = r.shared.each(from/r.shared.size, r.chunk, func(to, from uint32, rank uint8) { r.comes(int(to)-r.from, from, rank) })
		if err != nil {
			return nil, err
		}
	}
	for place := first; place < last; place++ {
		if place%4096 == 0 {
			if r.ctx.Err() != nil {
				return nil, r.ctx.Err()
			}
			r.tell(n * (place - first) / (last - first))
		}
		if err := r.list(place); err != nil {
			return nil, err
		}
	}
	table := make([]byte, 0, 4*r.width*n)
	for i := range n {
		table = r.append(table, i)
	}
	r.tell(n)
	r.said = 0
	return table, nil
}

// tell says how much of a range is done, in places of it: a range may be half of all.
func (r *partLinks) tell(places int) {
	if r.told != nil && places > r.said {
		r.told(places - r.said)
		r.said = places
	}
}

// list takes the list of a place: its entries are links out of it, and into them.
func (r *partLinks) list(place int) (err error) {
	if r.row, r.keys, err = r.g.Keyed(store.Row(r.order[place]), r.row, r.keys); err != nil {
		return err
	}
	inside := place >= r.from && place < r.to
	for rank, row := range r.row[:min(len(r.row), r.listed)] {
		to := r.placeOf[row]
		if to == noLink {
			continue
		}
		if inside {
			i := place - r.from
			r.out[i*r.listed+int(r.outs[i])] = to
			r.outs[i]++
		}
		if r.shared == nil && int(to) >= r.from && int(to) < r.to {
			r.comes(int(to)-r.from, uint32(place), uint8(rank))
		}
	}
	return nil
}

// comes keeps a place that lists another where its rank is among the first. Places come
// ascending.
func (r *partLinks) comes(i int, place uint32, rank uint8) {
	in, ranks := r.in[i*r.width:][:r.width], r.inRank[i*r.width:][:r.width]
	have := int(r.ins[i])
	if have == r.width {
		if ranks[have-1] <= rank {
			return
		}
		have--
	} else {
		r.ins[i]++
	}
	at := have
	for at > 0 && ranks[at-1] > rank {
		in[at], ranks[at] = in[at-1], ranks[at-1]
		at--
	}
	in[at], ranks[at] = place, rank
}

// append adds the links of a place: its list, then the places that list it and are not in it.
func (r *partLinks) append(table []byte, i int) []byte {
	out := r.out[i*r.listed:][:r.outs[i]]
	links := 0
	for _, p := range out {
		table = binary.LittleEndian.AppendUint32(table, p)
		links++
	}
	for _, p := range r.in[i*r.width:][:r.ins[i]] {
		if links == r.width {
			break
		}
		if !slices.Contains(out, p) {
			table = binary.LittleEndian.AppendUint32(table, p)
			links++
		}
	}
	for ; links < r.width; links++ {
		table = binary.LittleEndian.AppendUint32(table, noLink)
	}
	return table
}

// sized is a slice of n elements, which may hold anything.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func zeroed[T any](s []T, n int) []T {
	s = sized(s, n)
	clear(s)
	return s
}
