package search

import (
	"unsafe"

	"github.com/knng/knng/store/internal/walk"
)

// rowPages are the pages of rows that a walk by codes reads at its end, and the places whose rows were
// compared. A page that is read for one row holds others, and comparing these needs no further read.
type rowPages struct {
	read     walk.Visited // pages
	compared walk.Visited // places
	others   []uint32     // places in the pages read last, not yet compared
}

func (r *rowPages) clear() {
	r.read.Clear()
	r.compared.Clear()
}

// readRows requests the rows of places, and finds the others in the same pages that were not compared.
func (w *walker) readRows(places []uint32) {
	s, r := w.s, &w.byCodes.rows
	base := int(uintptr(unsafe.Pointer(unsafe.SliceData(s.base))) & (1<<pageShift - 1))
	r.others = r.others[:0]
	for _, p := range places {
		from, before := base+s.stride*int(p), w.reads
		for page := from >> pageShift; page <= (from+s.stride-1)>>pageShift; page++ {
			if r.read.Add(uint32(page)) {
				w.reads++
				r.within(page<<pageShift-base, s.stride, s.Len())
			}
		}
		if w.reads > before {
			_ = s.rows.WillNeed(int(p), int(p)+1)
		}
	}
}

// within adds the places, of n, whose rows are in the page at a byte of the rows.
func (r *rowPages) within(at, stride, n int) {
	first, end := (max(0, at)+stride-1)/stride, min(n, (at+1<<pageShift)/stride)
	for p := first; p < end; p++ {
		if r.compared.Add(uint32(p)) {
			r.others = append(r.others, uint32(p))
		}
	}
}
