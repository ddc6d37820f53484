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
	limit   int64 // bytes that arcs and lists may take in memory
	ctx     context.Context
	// scattered says that places are not in the order of the lists on disk: the lists are read in the order
	// of rows, and a scratch file holds them next to the arcs.
	scattered bool
	told      func(places int) // is called with the places made since the last call; may be nil

	// scratch makes a file for the arcs; nil: there is no room for one.
	scratch func() (scratchFile, error)

	united union // of all places, after lists were read for links in memory; otherwise nil

	mu    sync.Mutex
	steps int // steps of work done (stepsOf)
}

// table derives the links of all places, several ranges at a time, and passes each range to write. It returns
// the sum of all.
//
// A link into a place is an entry of another list, which may be any. So all lists are first read in the order
// of places, and their entries are distributed by the range that they point into; then each range is made
// within the processor's cache. If memory does not suffice, a scratch file holds the entries; without such a
// file the lists are read once for each window of places. The result does not depend on this.
func (m *maker) table(write func(first int, table []byte) error) (sum uint64, err error) {
	if m.width == 0 {
		return 0, nil
	}
	var mu sync.Mutex
	put := func(from int, table []byte) error {
		part := m.sumOf(table, from)
		mu.Lock()
		sum += part
		mu.Unlock()
		return write(from, table)
	}
	if m.scratch != nil && m.spilledBytes() > 0 {
		err = m.spilled(put)
		return sum, err
	}
	for first, window := 0, m.window(); first < m.identity.places; first += window {
		last := min(m.identity.places, first+window)
		kept, err := m.keepArcs(first, last, m.rangeSize())
		if err == nil {
			err = m.ranges(kept, first, last, put)
		}
		if err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// spilled distributes the lists to a scratch file, and makes all ranges.
func (m *maker) spilled(put func(from int, table []byte) error) error {
	file, err := m.scratch()
	if err != nil {
		return err
	}
	defer file.Abort()
	shared, err := m.distribute(file, m.rangeSize())
	if err != nil {
		return err
	}
	return m.ranges(shared, 0, m.identity.places, put)
}

// ranges makes the ranges between two places.
func (m *maker) ranges(shared shared, first, last int, put func(from int, table []byte) error) error {
	left := m.limit
	if !m.spills() {
		left -= m.sharedBytes()
	}
	abreast := max(1, min(int64(m.threads), left/m.rangeBytes()))
	return vectors.Ranges(int(abreast), last-first, m.rangeSize(), func() func(from, to int) error {
		most := m.mostArcsOf(min(m.rangeSize(), last-first))
		r := &partLinks{maker: m, arcs: make([]arc, 0, most), sorted: make([]arc, most)} // with full capacity, as growing them would leave garbage
		return func(from, to int) error {
			if err := m.ctx.Err(); err != nil {
				return err
			}
			table, err := r.make(shared, first+from, first+to)
			if err != nil {
				return err
			}
			if err := put(first+from, table); err != nil {
				return err
			}
			_, _, each := m.stepsOf()
			m.tell(each * (to - from))
			return nil
		}
	})
}

// stepsOf returns the steps of the work on a place: for reading its list to find islands, 0 if the reading
// for links serves for that too; for reading its list for links; and for making its links. Processor time on
// 1,000,000 rows of 50: 1.0, 1.1 and 0.9 s; 1.0, 1.1 and 1.8 s if a scratch file holds the arcs; on 2,500,000
// rows 5.0, 4.4 and 2.9 s.
func (m *maker) stepsOf() (island, list, links int) {
	switch {
	case m.once():
		return 0, 3, 2
	case m.scratch != nil && m.spilledBytes() > 0:
		return 2, 2, 3
	}
	return 3, 3, 2
}

// once reports whether one reading of all lists serves for links and islands.
func (m *maker) once() bool { return m.width > 0 && !m.spills() }

// tell reports that so many more steps are done.
func (m *maker) tell(steps int) {
	if m.told == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	island, list, links := m.stepsOf()
	each := island + list + links
	before := m.steps / each
	if m.steps += steps; m.steps/each > before {
		m.told(m.steps/each - before)
	}
}

// A range has rangePlaces places; its arcs and links take about three megabytes, so that each core has its
// own in its cache. It has more places if there would be more than maxRanges ranges, since each has some
// kilobytes in progress.
const (
	rangePlaces = 2 * sumPlaces
	maxRanges   = 1024
)

// rangeSize returns the number of places whose links a goroutine makes at a time.
func (m *maker) rangeSize() int {
	size := rangePlaces
	for m.identity.places > maxRanges*size {
		size *= 2
	}
	return size
}

// sharedBytes returns the memory of the arcs, lists and islands of all places: 8 bytes an arc, 4 an entry and
// a place, and the unfinished chunks of readers.
func (m *maker) sharedBytes() int64 {
	ranges := (m.identity.places + m.rangeSize() - 1) / m.rangeSize()
	return int64(m.identity.places)*(12*int64(m.listed)+4) + 8*chunkArcs*int64(m.threads)*int64(ranges)
}

// placeBytes returns the most memory of a place while its range is made: arcs, sorted arcs, and links.
func (m *maker) placeBytes() int64 {
	return int64(2*8*mostArcs*float64(m.keptArcs())) + 4*int64(m.width)
}

// rangeBytes returns the memory of a range while it is made.
func (m *maker) rangeBytes() int64 {
	return int64(min(m.rangeSize(), m.identity.places)) * m.placeBytes()
}

// mostArcsOf returns the most arcs that are held for so many places.
func (m *maker) mostArcsOf(places int) int { return int(mostArcs * float64(places*m.keptArcs())) }

// spills reports whether arcs and a range do not fit in memory together.
func (m *maker) spills() bool { return m.sharedBytes()+m.rangeBytes() > m.limit }

// keptArcs returns how many arcs of a place are kept if there are more: the number of its links, and its list
// if arcs hold it.
func (m *maker) keptArcs() int {
	if m.scattered {
		return m.width + m.listed
	}
	return m.width
}

// spilledBytes returns the most bytes of a scratch file; 0 if arcs stay in memory.
func (m *maker) spilledBytes() int64 {
	if !m.spills() {
		return 0
	}
	entries := int64(m.identity.places) * int64(m.listed)
	if m.scattered {
		entries *= 2
	}
	return arcBytes * entries
}

// window returns the number of places that are made from one reading of all lists in memory: all, or whole
// ranges.
func (m *maker) window() int {
	n, size := m.identity.places, m.rangeSize()
	if !m.spills() {
		return n
	}
	return max(1, int((m.limit-m.rangeBytes())/(12*int64(m.listed)))/size) * size
}

// An arc is a link into a place. Its highest 24 bits are the place within the range, the next 8 are incoming
// plus the rank in the list that holds the link, and the lowest 32 are the place of that list. So arcs sort
// like the links of a place. An entry of the place's own list may also be an arc, with its rank alone and the
// place that it leads to.
type arc uint64

// incoming is added to the ranks of links from other lists: those of the place's own list come first.
const incoming = 128

func arcOf(to int, from uint32, rank int) arc { return arc(to)<<40 | arc(rank)<<32 | arc(from) }

// to returns the place within the range.
func (a arc) to() int { return int(a >> 40) }

func (a arc) rank() int { return int(a >> 32 & 0xff) }

// shared holds the entries of all lists by range.
type shared interface {
	// arcsOf calls take with the links into the range that begins at a place, in any order, some at a time.
	// They are valid until take returns.
	arcsOf(from int, take func(arcs []arc)) error
	// listOf returns the list of a place, as places, by rank, valid until the next call with the same reader;
	// nil if arcsOf gives its entries, with ranks below incoming.
	listOf(place int, reader *listReader) ([]uint32, error)
}

// A listReader reads the lists of places.
type listReader struct {
	row    []uint32
	keys   []float32
	places []uint32
}

// of returns the list of a place, as places, as far as links are made of it, with noLink for an entry that
// makes none. It is valid until the next call.
func (l *listReader) of(m *maker, place int) (places []uint32, err error) {
	if l.row, l.keys, err = m.g.Keyed(store.Row(m.order[place]), l.row, l.keys); err != nil {
		return nil, err
	}
	l.places = l.places[:0]
	for _, row := range l.row[:min(len(l.row), m.listed)] {
		l.places = append(l.places, m.placeOf[row])
	}
	return l.places, nil
}

// eachList reads the lists of all places, on several goroutines. Each calls worker once, and its result for
// one place after another with its list, which is valid during the call. done is called with the number of
// places whose lists were read.
func (m *maker) eachList(worker func() func(place int, list []uint32) error, done func(places int)) error {
	n := len(m.order)
	if m.scattered {
		n = len(m.placeOf)
	}
	return vectors.Ranges(m.threads, n, sumPlaces, func() func(from, to int) error {
		take := worker()
		var reader listReader
		return func(from, to int) error {
			if err := m.ctx.Err(); err != nil {
				return err
			}
			read := 0
			for i := from; i < to; i++ {
				place := uint32(i)
				if m.scattered {
					place = m.placeOf[i]
				}
				if place == noLink {
					continue
				}
				list, err := reader.of(m, int(place))
				if err == nil {
					err = take(int(place), list)
				}
				if err != nil {
					return err
				}
				read++
			}
			done(read)
			return nil
		}
	})
}

// partLinks derives the links of a range of places.
type partLinks struct {
	*maker
	arcs, sorted []arc
	ends         []uint32 // of the arcs of each place in sorted
	reader       listReader
	out          []uint32
	bytes        []byte
}

// make returns the table of a range, valid until the next call.
func (r *partLinks) make(shared shared, from, to int) (table []byte, err error) {
	if err := r.gather(shared, from, to); err != nil {
		return nil, err
	}
	r.sort(to - from)
	table, first := r.bytes[:0], uint32(0)
	for place := from; place < to; place++ {
		list, err := shared.listOf(place, &r.reader)
		if err != nil {
			return nil, err
		}
		r.out = r.out[:0]
		for _, p := range list {
			if p != noLink {
				r.out = append(r.out, p)
			}
		}
		last := r.ends[place-from]
		in := r.sorted[first:last]
		for len(in) > 0 && in[0].rank() < incoming {
			r.out, in = append(r.out, uint32(in[0])), in[1:]
		}
		table = r.append(table, in)
		first = last
	}
	r.bytes = table
	return table, nil
}

// mostArcs is the most arcs to hold, as a multiple of those that can become links, so that a place in very
// many lists takes no more memory.
const mostArcs = 1.5

// gather collects the arcs into a range, and drops those that cannot become links when there are too many.
func (r *partLinks) gather(shared shared, from, to int) error {
	n := to - from
	most := r.mostArcsOf(n)
	r.arcs = r.arcs[:0]
	return shared.arcsOf(from, func(arcs []arc) {
		if len(r.arcs)+len(arcs) > most {
			r.drop(n)
		}
		r.arcs = append(r.arcs, arcs...)
	})
}

// drop keeps only the first arcs of each of n places, as many as it has links.
func (r *partLinks) drop(n int) {
	r.sort(n)
	r.arcs = r.arcs[:0]
	first := uint32(0)
	for _, end := range r.ends {
		r.arcs = append(r.arcs, r.sorted[first:min(end, first+uint32(r.keptArcs()))]...)
		first = end
	}
}

// sort sorts the arcs of a range of n places.
func (r *partLinks) sort(n int) {
	r.ends, r.sorted = zeroed(r.ends, n), sized(r.sorted, len(r.arcs))
	for _, a := range r.arcs {
		r.ends[a.to()]++
	}
	sum := uint32(0)
	for i, count := range r.ends { // beginnings of the arcs of each place
		r.ends[i] = sum
		sum += count
	}
	for _, a := range r.arcs {
		r.sorted[r.ends[a.to()]] = a
		r.ends[a.to()]++
	}
	first := uint32(0)
	for _, end := range r.ends {
		slices.Sort(r.sorted[first:end])
		first = end
	}
}

// append adds the links of a place: its list, then the first places that list it, by rank, then place, except
// those in its list.
func (r *partLinks) append(table []byte, in []arc) []byte {
	for _, p := range r.out {
		table = binary.LittleEndian.AppendUint32(table, p)
	}
	links := len(r.out)
	for _, a := range in[:min(len(in), r.width)] {
		if links == r.width {
			break
		}
		if p := uint32(a); !slices.Contains(r.out, p) {
			table = binary.LittleEndian.AppendUint32(table, p)
			links++
		}
	}
	for ; links < r.width; links++ {
		table = binary.LittleEndian.AppendUint32(table, noLink)
	}
	return table
}

// sized returns a slice of n elements with any contents.
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
