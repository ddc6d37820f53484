package search

import (
	"math"

	"github.com/knng/knng/store/internal/walk"
)

// A walk without codes takes many reads from a leader to where its query is, and as many again down each of several
// islands. So memory holds more rows, which stand apart in the order; a walk begins at the stretches of the nearest, and goes down
// no island. Of 20,000,000 rows by parts, of which 447 are leaders, a query at effort 10 followed 43 places and took 24 ms by 1,045 reads; so
// it follows 11 and takes 6 ms by 242. Rows in memory that are four times as many, or 24 to begin at, change less than a tenth.
const (
	rowStartsOf = 4 // roots of the rows: so many stand in memory, as far as an eighth of the budget holds them;
	rowStarts   = 8 // and a walk begins at the nearest of these
)

// starts are rows that walks may begin at, copied side by side.
type starts struct {
	places []uint32
	rows   []byte
	norms  []float64 // nil: the metric needs none
	ids    []uint32  // 0, 1, 2 ...: of the copies
}

// take copies rows for the walks without codes to begin at. They are asked for together before they are read.
func (t *starts) take(s *Searcher, budget int64) {
	n, size := s.Len(), s.rows.Dim()*s.rows.Type().Size()
	m := min(n/stretch(s.stride), int(rowStartsOf*math.Sqrt(float64(n))), int(budget/8/int64(size+16)))
	for i := range m {
		t.places = append(t.places, uint32(int64(i)*int64(n)/int64(m)))
		t.ids = append(t.ids, uint32(i))
	}
	asker{s}.set(t.places)
	for _, p := range t.places {
		t.rows = append(t.rows, s.rows.Row(int(p))...)
		if s.links.norms != nil {
			t.norms = append(t.norms, s.links.norms[p])
		}
	}
}

// enterStarts begins at the nearest of the rows in memory, and at all rows of their stretches.
func (w *walker) enterStarts() {
	s, t := w.s, &w.s.starts
	if len(t.places) == 0 {
		return
	}
	w.keys = sized(w.keys, max(cap(w.keys), len(t.places)))
	w.target.keys(s, t.rows, len(t.rows)/len(t.places), t.norms, t.ids, w.keys)
	w.evaluations += int64(len(t.places))
	w.first = w.first[:0]
	for i, p := range t.places {
		if w.q.isHidden && p == w.q.hidden {
			continue
		}
		w.first = least(w.first, rowStarts, walk.EntryOf(w.keys[i], p))
	}
	w.ids = w.ids[:0]
	for _, e := range w.first {
		w.enter(e)
		w.ids = append(w.ids, uint32(e))
	}
	w.ids = w.ask(w.ids)[len(w.first):]
	w.keys = sized(w.keys, max(cap(w.keys), len(w.ids)))
	w.compare()
}
