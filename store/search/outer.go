package search

import (
	"math"
	"slices"
	"sync"

	"github.com/knng/knng/vectors"
)

// From a query 1e8 times as far out as most rows, all these rows have the same distance in float32. So a walk cannot choose the links
// that lead to a row as far out as the query, and few lists hold such a row. If the results of such a query are far, its walk looks at
// the rows that are far out. The first such walk finds them: it reads all rows once.

// outer holds the places of the rows that are far out.
type outer struct {
	usual  sync.Once
	bounds *bounds // nil: none
	wrong  error   // of finding bounds

	all    sync.Once
	places []uint32
	err    error // of finding these
}

// beyond reports whether the query of a walk is far out.
func (w astray) beyond() (bool, error) {
	s, o := w.s, &w.s.outer
	if s.space.Metric().Bits() {
		return false, nil
	}
	o.usual.Do(func() { o.bounds, o.wrong = coder{s}.usual() })
	if o.bounds == nil || o.wrong != nil {
		return false, o.wrong
	}
	return !o.bounds.holds(w.elements()), nil
}

// elements returns the elements of the query, less what codes leave out, as those of rows are coded.
func (w astray) elements() []float32 {
	w.plain = sized(w.plain, w.s.Dim())
	if w.target.native {
		w.s.space.Float32(w.target.row, w.plain)
	} else {
		vectors.Decode(vectors.Float32, w.target.row, w.plain)
	}
	w.s.straighten(w.plain)
	return w.plain
}

// find finds the places of the rows that are far out. If they are more than the last look takes, it keeps some of them, evenly
// spread.
func (o *outer) find(s *Searcher) {
	var mu sync.Mutex
	o.err = vectors.Ranges(s.opts.Threads, s.Len(), sumPlaces, func() func(from, to int) error {
		row := make([]float32, s.Dim())
		return func(from, to int) error {
			var far []uint32
			for p := from; p < to; p++ {
				if (coder{s}).plain(s.rows.Row(p), row); !o.bounds.holds(row) {
					far = append(far, uint32(p))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			o.places = append(o.places, far...)
			return nil
		}
	})
	slices.Sort(o.places)
	if n, most := len(o.places), lookPlaces(len(lookStarts)-1, s.Len()); n > most {
		for i := range most {
			o.places[i] = o.places[i*n/most]
		}
		o.places = slices.Clone(o.places[:most])
	}
}

// lookOut looks at the rows that are far out, if the query is far out too, and reports whether it did.
func (w astray) lookOut() (bool, error) {
	out, err := w.beyond()
	if !out || err != nil {
		return false, err
	}
	o := &w.s.outer
	o.all.Do(func() { o.find(w.s) })
	if o.err != nil || len(o.places) == 0 {
		return false, o.err
	}
	return true, w.lookAt(len(o.places), func(i int) uint32 { return o.places[i] })
}

// lookPlaces returns the number of places that a look takes.
func lookPlaces(look, n int) int { return int(lookStarts[look] * math.Sqrt(float64(n))) }
