package search

import (
	"unsafe"

	"github.com/knng/knng/store/internal/walk"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/offered"
)

// Where memory does not hold rows and links, reads are random: the system is told to read nothing but
// what it is asked for, and is asked for all rows of a hop together, which a disk answers in the time of a few. On
// 1,000,000 rows of SIFT a query with a recall of 0.97 took 13 ms row by row, and 4 ms so. In
// memory the questions would take longer than the rows.

// budget is the memory that may hold rows and links.
func (o *Options) budget() int64 {
	if o.Budget > 0 {
		return o.Budget
	}
	return offered.Memory() / 2
}

// advise tells the system how rows will be read: a hint. Those of the store are advised as its input: the view of
// them that is searched is not the one to say how the whole mapping is read.
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

// pageShift is the page of counts.
const pageShift = 12

// A walk without codes reads stretches: consecutive places, whose rows, or links, lie side by side. Rows near each other stand near
// each other, so it compares all rows that it has read, and finds more by fewer reads. stretchBytes is how much is
// read in one go. A read of 16 KiB took some 50 us where one of 4 KiB took 32, thirty at a time on a virtual disk. On 1,000,000 rows
// of SIFT a query at effort 10 found 0.992 in 4.6 ms by 188 reads of 16 KiB; 8 KiB found as much at effort 16 in 5.5 ms, 4 KiB at 24 in 7.1 ms.
const stretchBytes = 16 << 10

// stretches are those that a walk has asked for.
type stretches struct {
	rows, links walk.Visited
}

func (r *stretches) clear() {
	r.rows.Clear()
	r.links.Clear()
}

// stretch is how many places of so many bytes a stretch has.
func stretch(bytes int) int { return max(1, stretchBytes/max(1, bytes)) }

// ask asks for the stretches that the rows of places lie in, and adds to the places all others of these that were not visited.
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

// askNext asks for the links of the place that is followed next, as far as it is known.
func (w *walker) askNext() {
	if len(w.open) > 0 {
		w.askLinks(uint32(w.open[0]))
	}
}

// askLinks asks for the links of a place.
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

// An asker asks for rows where memory does not hold them.
type asker struct{ *Searcher }

// set asks for the rows of some places, which ascend.
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

// ahead asks for the rows that a scan compares next.
func (s asker) ahead(from int) {
	if s.sparse {
		_ = s.rows.WillNeed(from, from+4*scanChunk)
	}
}
