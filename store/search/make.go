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
}

// table derives the links of all places, range by range and several ranges at a time, and
// gives each to write. It returns the sum of all.
//
// Every range goes over all lists: a link that comes in stands in the list of another place,
// which may be any. Lists come in the order of places, so that one touches memory near
// that of the one before, and the result does not depend on ranges or threads.
func (m *maker) table(write func(first int, table []byte) error) (sum uint64, err error) {
	if m.width == 0 {
		return 0, nil
	}
	n := m.identity.places
	perPlace := 4*m.listed + 5*m.width + 4*m.width
	size := max(1, int(m.limit)/m.threads/perPlace/sumPlaces) * sumPlaces
	if even := (n + m.threads - 1) / m.threads; even < size {
		size = (even + sumPlaces - 1) / sumPlaces * sumPlaces
	}
	var mu sync.Mutex
	err = vectors.Ranges(m.threads, n, size, func() func(from, to int) error {
		r := &partLinks{maker: m}
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

// partLinks derives the links of a range of places.
type partLinks struct {
	*maker
	from, to int
	out      []uint32 // listed entries of each place, by rank
	outs     []uint8
	in       []uint32 // at most width places that list it, by rank, then place
	inRank   []uint8
	ins      []uint8
	row      []uint32 // of a list
	keys     []float32
}

func (r *partLinks) make(from, to int) ([]byte, error) {
	n := to - from
	r.from, r.to = from, to
	r.out, r.outs = sized(r.out, n*r.listed), zeroed(r.outs, n)
	r.in, r.inRank, r.ins = sized(r.in, n*r.width), sized(r.inRank, n*r.width), zeroed(r.ins, n)
	for place := range r.order {
		if place%4096 == 0 && r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		if err := r.list(place); err != nil {
			return nil, err
		}
	}
	table := make([]byte, 0, 4*r.width*n)
	for i := range n {
		table = r.append(table, i)
	}
	return table, nil
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
		if int(to) >= r.from && int(to) < r.to {
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
