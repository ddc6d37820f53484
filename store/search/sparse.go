package search

import (
	"unsafe"

	"github.com/knng/knng/store/internal/walk"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/offered"
)

// If memory does not hold rows and links, reads are random: the system is told to read nothing ahead, and all
// rows of a hop are requested together, which a disk answers in the time of a few. On 1,000,000 rows of SIFT
// a query with a recall of 0.97 takes 4 ms, and 13 ms row by row. In memory the requests would take longer
// than the rows.

// budget returns the memory that may hold rows and links.
func (o *Options) budget() int64 {
	if o.Budget > 0 {
		return o.Budget
	}
	return offered.Memory() / 2
}

// advise tells the system how rows will be read. Advice for the store's own rows goes to its input, since the
// searched view does not cover the whole mapping.
func (s *Searcher) advise(a vectors.Advice) error {
	if s.near != nil {
		return s.near.file.Advise(a)
	}
	return s.in.Advise(a)
}

// inMemory reports whether memory holds rows and links.
func inMemory(s *Searcher) bool {
	return s.file == nil || int64(s.stride)*int64(s.Len())+s.Bytes() <= s.opts.budget()
}

// settle decides how rows and links are read.
func (s *Searcher) settle() error {
	budget := s.opts.budget()
	s.sparse = !inMemory(s)
	if s.sparse {
		_ = s.advise(vectors.Random) // a hint
		if parts := (coder{s}).parts(budget); parts > 0 {
			return coder{s}.open(parts)
		}
		return vectors.Guard(func() error { s.starts.take(s, budget); return nil })
	}
	return nil
}

// pageShift is the size of pages in counts, as a power of two.
const pageShift = 12

// A walk without codes reads stretches: consecutive places, with adjacent rows or links. Near rows are at
// near places, so it compares all rows that it has read, and finds more with fewer reads. stretchBytes is the
// size of a read. A read of 16 KiB took some 50 us and one of 4 KiB 32 us, with thirty at a time on a virtual
// disk. On 1,000,000 rows of SIFT a query at effort 10 found 0.992 in 4.6 ms with 188 reads of 16 KiB; 8 KiB
// found as much at effort 16 in 5.5 ms, 4 KiB at effort 24 in 7.1 ms.
const stretchBytes = 16 << 10

// stretches are those that a walk has requested.
type stretches struct {
	rows, links walk.Visited
}

func (r *stretches) clear() {
	r.rows.Clear()
	r.links.Clear()
}

// stretch returns the number of places in a stretch, if each takes so many bytes.
func stretch(bytes int) int { return max(1, stretchBytes/max(1, bytes)) }

// ask requests the stretches of the rows of places, and adds to places all others of these stretches that
// were not visited.
func (w *walker) ask(places []uint32) []uint32 {
	s := w.s
	per := stretch(s.stride)
	for _, p := range places {
		if at := int(p) / per; w.read.rows.Add(uint32(at)) {
			w.reads++
			from, to := at*per, min((at+1)*per, s.Len())
			_ = s.rows.WillNeed(from, to)
			for q := from; q < to; q++ {
				if w.visited.Add(uint32(q)) {
					places = append(places, uint32(q))
				}
			}
		}
	}
	return places
}

// askNext requests the links of the place that is followed next, as far as it is known.
func (w *walker) askNext() {
	if len(w.open) > 0 {
		w.askLinks(uint32(w.open[0]))
	}
}

// askLinks requests the links of a place.
func (w *walker) askLinks(place uint32) {
	width, per := 4*w.s.links.width, 1
	if !w.byCodes.on {
		per = stretch(width)
		if !w.read.links.Add(place / uint32(per)) {
			return
		}
		w.reads++
		place -= place % uint32(per)
	}
	at := headerBytes + width*int(place)
	_ = w.s.file.WillNeed(at, min(at+width*per, headerBytes+w.s.links.tableBytes()))
}

// An asker requests rows that memory does not hold.
type asker struct{ *Searcher }

// set requests the rows of some places, which ascend.
func (s asker) set(places []uint32) {
	if !s.sparse {
		return
	}
	base, last := int(uintptr(unsafe.Pointer(unsafe.SliceData(s.base)))&(1<<pageShift-1)), -1
	for _, p := range places {
		if end := (base + s.stride*(int(p)+1) - 1) >> pageShift; end != last {
			last = end
			_ = s.rows.WillNeed(int(p), int(p)+1)
		}
	}
}

// ahead requests the rows that a scan compares next.
func (s asker) ahead(from int) {
	if s.sparse {
		_ = s.rows.WillNeed(from, from+4*scanChunk)
	}
}
