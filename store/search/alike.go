package search

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/knng/knng/store/internal/walk"
)

// alike notes identical rows that a walk meets. All of them list the same few, so if they are more than a
// place has links, no link leads to the others. A walk may need these others: the ones it met may not be
// allowed as results, or be fewer than K. Without them it would return rows further away.
type alike struct {
	key     uint32     // of the last place that was followed
	run     int        // number of followed places with this key
	crowd   uint64     // the key of the identical rows for which room was last made
	nearest walk.Entry // the nearest of more identical rows than a place has links; the largest entry if none was met
}

// leastAlike is the least number of rows with equal keys that are checked for being identical: in stores of
// short lists many rows have equal keys and are not identical.
const leastAlike = 8

// crowded takes a place that is to be followed. It reports whether the place leads only to identical rows, of
// which enough were followed. Such rows fill the results that a walk looks around, and no link leads from
// them to other rows that are as near or nearer, so the walk keeps more.
func (w *walker) crowded(e walk.Entry) bool {
	a, s := &w.alike, w.s
	if key := uint32(e >> 32); key != a.key {
		a.key, a.run = key, 0
	}
	a.run++
	early := max(3, min(leastAlike, w.q.Effort/2))                                             // before these fill the effort
	if e>>32 != a.crowd && a.run == early && walk.KeyOf(e) != 0 && listsCopies(s, uint32(e)) { // nothing is nearer than 0
		a.crowd = e >> 32
		w.found.Grow(max(w.q.Effort, s.links.width))
	}
	if a.run < max(s.links.width, leastAlike) || !listsCopies(s, uint32(e)) {
		return false
	}
	a.nearest = min(a.nearest, e)
	return true
}

// listsCopies reports whether the list of a place, as far as links are made of it, has only identical rows.
func listsCopies(s *Searcher, place uint32) bool {
	l := s.links
	if l.listed == 0 {
		return false
	}
	last := binary.LittleEndian.Uint32(l.table[4*(l.width*int(place)+l.listed-1):])
	return int64(last) < int64(len(s.order)) && bytes.Equal(s.rows.Row(int(place)), s.rows.Row(int(last)))
}

// doubt reports whether identical rows without links to them may be results.
func (a *alike) doubt(w *walker) bool {
	if a.nearest == math.MaxUint64 || a.nearest>>32 > w.limit>>32 {
		return false
	}
	if w.q.K == 0 {
		return true
	}
	near := 0
	for _, e := range w.found.Heap { // complements
		if ^e>>32 <= a.nearest>>32 {
			near++
		}
	}
	return near < w.q.K
}
