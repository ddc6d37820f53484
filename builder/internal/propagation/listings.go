package propagation

import (
	"fmt"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors"
)

// listings are the entries whose places are entered, distributed by stretches of places. A goroutine gathers
// those of a stretch within its cache, and no other writes there.
type listings struct {
	*Round
	shift  int // a stretch has 1<<shift places
	memory offheap.Block[uint32]
	used   atomic.Int64 // of the memory

	mu      sync.Mutex
	sharers []*sharer
	starts  []int // where in gathered the places of each stretch begin
}

// A sharer distributes the entries of the rows that one goroutine reads.
type sharer struct {
	*listings
	found *found
	open  []chunk   // of each stretch, the one that is not full
	full  [][]chunk // of each stretch
}

// A chunk holds entries of rows from one on: for each entry its place within the stretch, in the highest
// bits, then the row's distance from the first, then whether it is new.
type chunk struct {
	row     uint32
	entries []uint32
}

// A stretch has stretchPlaces places, whose gathered neighbors take about 150 KB. It has more if there would
// be more than mostStretches, since each has a chunk in progress.
const (
	stretchPlaces = 1 << 12
	mostStretches = 1 << 10
)

// chunkEntries is the number of entries in a chunk: half a kibibyte.
const chunkEntries = 128

func newListings(r *Round) *listings {
	l := &listings{Round: r, shift: bits.Len(uint(max(stretchPlaces, (r.lists.N-1)/mostStretches+1) - 1))}
	entries := r.lists.N * r.lists.K / (Parts / enterParts)
	l.memory = offheap.Make[uint32](entries + entries/16 + 2*chunkEntries*l.stretches())
	return l
}

func (l *listings) stretches() int { return (l.lists.N-1)>>l.shift + 1 }

// enter gathers the neighbors of the places of parts from to end-1.
func (l *listings) enter(from, end, threads int) error {
	if err := l.share(from, end, threads); err != nil {
		return err
	}
	entries := l.layOut(from, end)
	if entries > math.MaxUint32 {
		return fmt.Errorf("propagation: %d entries around the places of %d parts, want at most %d", entries, end-from, uint32(math.MaxUint32))
	}
	l.makeRoom(entries)
	return vectors.Ranges(threads, l.stretches(), 1, func() func(stretch, _ int) error {
		return func(stretch, _ int) error {
			l.gather(stretch, from, end)
			return nil
		}
	})
}

// share finds the entries in all lists, and removes the marks of joins around their places.
func (l *listings) share(from, end, threads int) error {
	l.used.Store(0)
	l.sharers = l.sharers[:0]
	return vectors.Apart(threads, l.lists.N, enterRows, func() func(first, end int) error {
		s := &sharer{listings: l, found: l.newFound(), open: make([]chunk, l.stretches()), full: make([][]chunk, l.stretches())}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.sharers = append(l.sharers, s)
		return func(first, last int) error {
			for p := first; p < last; p += foundRows {
				s.found.find(p, min(p+foundRows, last), from, end-from)
				s.take()
			}
			return nil
		}
	})
}

// take distributes the entries that were found.
func (s *sharer) take() {
	place, row := uint32(1)<<s.shift-1, s.rows()-1
	for i, p := range s.found.places {
		at, e := p>>s.shift, s.found.take(i)
		open := &s.open[at]
		if len(open.entries) == cap(open.entries) || e>>1-open.row > row {
			if len(open.entries) > 0 {
				s.full[at] = append(s.full[at], *open)
			}
			*open = chunk{uint32(s.found.first), s.chunk()}
		}
		open.entries = append(open.entries, p&place<<(32-s.shift)|(e-open.row<<1))
	}
}

// rows returns how many rows a chunk's entries can be of.
func (l *listings) rows() uint32 { return 1 << (31 - l.shift) }

// chunk returns room for entries, in Go's heap if hubs have more than was planned.
func (l *listings) chunk() []uint32 {
	if end := int(l.used.Add(chunkEntries)); end <= len(l.memory.Slice) {
		return l.memory.Slice[end-chunkEntries : end-chunkEntries : end]
	}
	return make([]uint32, 0, chunkEntries)
}

// each calls fn with the entries of a stretch, some at a time.
func (l *listings) each(stretch int, fn func(c chunk)) {
	for _, s := range l.sharers {
		for _, c := range s.full[stretch] {
			fn(c)
		}
		fn(s.open[stretch])
	}
}

// layOut sets where the places of every stretch go, and returns the room for all.
func (l *listings) layOut(from, end int) int {
	at := 0
	l.starts = l.starts[:0]
	for stretch := range l.stretches() {
		l.starts = append(l.starts, at)
		l.each(stretch, func(c chunk) { at += len(c.entries) })
		l.places(stretch, from, end, func(int) { at += l.lists.K })
	}
	return at
}

// places calls fn with the places of a stretch that are of parts from to end-1.
func (l *listings) places(stretch, from, end int, fn func(place int)) {
	for p := stretch << l.shift; p < min((stretch+1)<<l.shift, l.lists.N); p++ {
		if part := Part(uint32(p)); from <= part && part < end {
			fn(p)
		}
	}
}

// gather gathers the neighbors of the places of a stretch: for each entered place its list, then the rows
// that list it.
func (l *listings) gather(stretch, from, end int) {
	first := stretch << l.shift
	last := min(first+1<<l.shift, l.lists.N)
	counts, ends, gathered := l.counts[first:last], l.ends[first:last], l.gathered
	clear(counts)
	l.each(stretch, func(c chunk) {
		for _, e := range c.entries {
			counts[e>>(32-l.shift)]++
		}
	})
	at := l.starts[stretch]
	l.places(stretch, from, end, func(p int) {
		l.copyList(uint32(p), gathered[at:at+l.lists.K])
		at += l.lists.K
		ends[p-first] = uint32(at)
		at += int(counts[p-first])
	})
	row := 2*l.rows() - 1
	l.each(stretch, func(c chunk) {
		for _, e := range c.entries {
			to := &ends[e>>(32-l.shift)]
			gathered[*to] = c.row<<1 + e&row
			*to++
		}
	})
}
