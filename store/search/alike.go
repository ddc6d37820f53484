package search

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/knng/knng/store/internal/walk"
)

// alike notes identical rows that a walk meets. All of them list the same few, so that of more than a place has links
// no link leads to the others: a walk that needs these, as those met may not be results, or are fewer than K, would take rows
// further away in their place.
type alike struct {
	key     uint32     // of the last place followed
	run     int        // places of this key that were followed
	nearest walk.Entry // the nearest of more identical rows than a place has links; the largest where none was met
}

// leastAlike is the least number of rows of a key that are looked at whether they are identical: stores of short lists have
// many of the same key that are not.
const leastAlike = 8

// add takes a place that is followed.
func (a *alike) add(s *Searcher, e walk.Entry) {
	if key := uint32(e >> 32); key != a.key {
		a.key, a.run = key, 0
	}
	if a.run++; a.run == max(s.links.width, leastAlike) && e < a.nearest && listsCopies(s, uint32(e)) {
		a.nearest = e
	}
}

// listsCopies reports whether the list of a place, as far as links are made of it, has identical rows alone.
func listsCopies(s *Searcher, place uint32) bool {
	l := s.links
	last := binary.LittleEndian.Uint32(l.table[4*(l.width*int(place)+l.listed-1):])
	return int64(last) < int64(len(s.order)) && bytes.Equal(s.rows.Row(int(place)), s.rows.Row(int(last)))
}

// doubt reports whether identical rows that no link leads to may be results.
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
