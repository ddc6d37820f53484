package search

import (
	"errors"
	"fmt"
	"math"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/walk"
	"github.com/knng/knng/vectors"
)

// ErrQuery says that a query cannot be answered: its length, elements or options are wrong. Raw and RawAll
// return it if dst has another size than the rows.
var ErrQuery = errors.New("search: bad query")

// MinEffort is the least effort of a query that sets none.
const MinEffort = 48

// A Query says which rows are wanted. Its zero value is invalid: K or Within is needed.
type Query struct {
	// K is the number of rows wanted, the nearest. 0 asks for all within Within.
	K int
	// Effort is how many of the nearest results so far a walk keeps looking around: it ends when nothing that
	// it knows is nearer than the last of them. Only results that pass the filter count. More effort takes
	// longer and finds more; less than K counts as K. 0 is the larger of MinEffort and 2 K, and up to 16
	// times that for a query far outside of the rows, as long as that finds more.
	Effort int
	// Within keeps only results at most so far away, as distances are shown. Nil: any.
	Within *float32
	// Keep says which rows may be results. Nil: all. It is called by the goroutine that searches, any number
	// of times per row.
	Keep func(store.Row) bool
	// Only names the rows that may be results; see Searcher.Only. Nil: all.
	Only *Set
	// Exact compares the query with every row that may be a result.
	Exact bool
	// Seen, if not nil, is called with rows whose distances are computed, and their keys, which
	// store.Store.Shown turns into distances: at least once for each, in any order. A walk computes those of
	// all rows that it meets, even if they may not be results; if rows are read from disk, of all that are
	// read; by codes, of the last candidates and all rows in the same pages. A scan computes those of the
	// rows that may be results. Leaders at which a walk does not begin are left out.
	Seen func(row store.Row, key float32)

	// Without is a row that is left out as if it were absent; Tune leaves out its queries so. Nil: none. Its
	// links are not followed either; if it leads an island, another row of that island does.
	Without *store.Row

	hidden   uint32 // place that is left out as if it were absent
	isHidden bool
	usual    bool // the query set no effort
	form     form
}

// form says how the vector of a query is given.
type form uint8

const (
	given    form = iota // as rows of the input are
	centered             // less the offsets of the store
	stored               // as the store holds rows
)

// Distance returns a pointer to d, for Query.Within.
func Distance(d float32) *float32 { return &d }

// check checks a query, and completes it.
func (s *Searcher) check(q *Query) error {
	switch {
	case s.opts.Rows:
		return fmt.Errorf("%w: the searcher was opened for rows alone", ErrQuery)
	case s.opts.Exact && !q.Exact:
		return fmt.Errorf("%w: the searcher was opened for exact queries alone", ErrQuery)
	case q.K < 0:
		return fmt.Errorf("%w: K is %d, want 0 or more", ErrQuery, q.K)
	case q.K == 0 && q.Within == nil:
		return fmt.Errorf("%w: K is 0, and no distance bounds the results", ErrQuery)
	case q.Effort < 0:
		return fmt.Errorf("%w: effort is %d, want 0 or more", ErrQuery, q.Effort)
	case q.Within != nil && *q.Within != *q.Within:
		return fmt.Errorf("%w: within NaN", ErrQuery)
	case q.Only != nil && q.Only.of != s:
		return fmt.Errorf("%w: the set of rows is another searcher's", ErrQuery)
	}
	if q.Without != nil && s.Has(*q.Without) {
		q.hidden, q.isHidden = s.places[*q.Without], true
	}
	n := s.Len()
	q.K = min(q.K, n)
	if q.usual = q.Effort == 0; q.usual {
		q.Effort = max(MinEffort, 2*q.K)
	}
	q.Effort = min(max(q.Effort, q.K), n)
	return nil
}

// admits reports whether the row at a place may be a result.
func (s *Searcher) admits(q *Query, place uint32) bool {
	if q.isHidden && place == q.hidden || q.Only != nil && !q.Only.has(place) {
		return false
	}
	return q.Keep == nil || q.Keep(store.Row(s.order[place]))
}

// filtered reports whether some rows may not be results.
func (q *Query) filtered() bool { return q.Keep != nil || q.Only != nil }

// limit returns the largest entry that Within allows.
func (s *Searcher) limit(q *Query) walk.Entry {
	if q.Within == nil {
		return math.MaxUint64
	}
	return largest(s, *q.Within)
}

// largest is the largest entry whose shown distance is at most d; 0 where there is none. Keys
// ascend as the distances they show.
func largest(s *Searcher, d float32) walk.Entry {
	low, high := uint64(0), uint64(1)<<32 // key bits; low-1 passes, high does not
	for low < high {
		middle := (low + high) / 2
		if shown := s.g.Shown(walk.KeyOf(middle << 32)); shown <= d {
			low = middle + 1
		} else if middle < 1<<31 && shown != shown { // the root of a negative key
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low<<32 - min(low, 1)
}

// A target is a query in the form in which rows are compared with it.
type target struct {
	native bool   // its elements are of the rows' type
	row    []byte // in that type, or as float32
	norm   float64
	values []float32 // for queries that are not native: a row as float32
	scaled []float32 // the query, if the rows are scaled
}

// set takes the elements of a query; form says how they were already changed.
func (t *target) set(s *Searcher, query []float32, form form) error {
	if len(query) != s.Dim() {
		return fmt.Errorf("%w: %d elements, the rows have %d", ErrQuery, len(query), s.Dim())
	}
	for i, v := range query {
		if v-v != 0 {
			return fmt.Errorf("%w: element %d is %v", ErrQuery, i, v)
		}
	}
	if form != stored {
		var err error
		if query, err = t.scale(s, query, form == centered); err != nil {
			return err
		}
	}
	typ := s.rows.Type()
	t.row = sized(t.row, s.Dim()*typ.Size())
	t.values = sized(t.values, s.Dim())
	space := s.space
	t.native = holds(typ, query, t.row, t.values)
	if !t.native {
		if s.floats == nil {
			return fmt.Errorf("%w: %v compares packed bits, so elements are whole numbers from 0 to 255", ErrQuery, s.space.Metric())
		}
		space = s.floats
		t.row = sized(t.row, 4*s.Dim())
		if err := vectors.Encode(vectors.Float32, query, t.row); err != nil {
			return fmt.Errorf("%w: %w", ErrQuery, err)
		}
	}
	t.norm = 0
	if space.NeedsNorms() {
		if t.norm = space.Norm(t.row); t.norm == 0 {
			if s.space.Metric().ConstantIsBad() {
				return fmt.Errorf("%w: its elements are all equal, which have no %v", ErrQuery, s.space.Metric())
			}
			return fmt.Errorf("%w: a vector of zeros has no direction, which %v compares", ErrQuery, s.space.Metric())
		}
	}
	return nil
}

// scale changes a query as the rows of the store were changed: it subtracts offsets, unless that was done,
// and multiplies.
func (t *target) scale(s *Searcher, query []float32, centered bool) ([]float32, error) {
	if s.scale == 0 && (s.offsets == nil || centered) {
		return query, nil
	}
	t.scaled = sized(t.scaled, len(query))
	for i, v := range query {
		if s.offsets != nil && !centered {
			v = float32(float64(v) - s.offsets[i])
		}
		x := vectors.Scale(v, s.scale)
		if x-x != 0 {
			return nil, fmt.Errorf("%w: element %d is %v, which is too far from the rows: they are scaled by 2^%d", ErrQuery, i, v, s.scale)
		}
		t.scaled[i] = x
	}
	return t.scaled, nil
}

// holds encodes a query in a type, and reports whether nothing is lost.
func holds(typ vectors.Type, query []float32, row []byte, back []float32) bool {
	switch typ {
	case vectors.Uint8, vectors.Int8: // Encode would round, and allocate an error
		low, high := float32(0), float32(255)
		if typ == vectors.Int8 {
			low, high = -128, 127
		}
		for i, v := range query {
			if v < low || v > high || v != float32(int(v)) {
				return false
			}
			row[i] = byte(int(v))
		}
		return true
	}
	if vectors.Encode(typ, query, row) != nil {
		return false
	}
	vectors.Decode(typ, row, back)
	for i, v := range query {
		if back[i] != v {
			return false
		}
	}
	return true
}

// keys computes the keys of rows of base.
func (t *target) keys(s *Searcher, base []byte, stride int, norms []float64, ids []uint32, out []float32) {
	if t.native {
		s.space.Keys(t.row, t.norm, base, stride, norms, ids, out)
		return
	}
	row := bytesOf(t.values)
	zero := [1]uint32{}
	for i, id := range ids {
		s.space.Float32(base[int(id)*stride:], t.values)
		var norm [1]float64
		if norms != nil {
			norm[0] = norms[id]
		}
		s.floats.Keys(t.row, t.norm, row, 0, norm[:], zero[:], out[i:i+1])
	}
}
