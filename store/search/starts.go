package search

import (
	"math"

	"github.com/knng/knng/store/internal/walk"
)

// Without codes, walking from a leader to the region of the query takes many reads, and walking down each of
// several islands takes as many again. So memory holds more rows, from all over the order; a walk begins at
// the stretches of the nearest, and goes down no island. On 20,000,000 rows by parts, with 447 leaders, a
// query at effort 10 follows 11 places and takes 6 ms with 242 reads; from leaders alone it was 43 places and
// 24 ms with 1,045 reads. Four times as many rows in memory, or 24 starts, change less than a tenth.
const (
	rowStartsOf = 4 // rows in memory, in roots of the rows, as far as an eighth of the budget holds them;
	rowStarts   = 8 // a walk begins at so many of the nearest
)

// starts are rows at which walks may begin, copied next to each other.
type starts struct {
	places []uint32
	rows   []byte
	norms  []float64 // nil: the metric needs none
	ids    []uint32  // 0, 1, 2 ...: numbers of the copies
}

// take copies the rows at which walks without codes may begin. It requests them all before it reads them.
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
