package search

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/inflight"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// A Searcher answers queries over a store. It is safe for concurrent use.
type Searcher struct {
	calls  inflight.Calls // those that read rows or links
	g      *store.Store
	opts   Options
	in     *vectors.Input
	order  []uint32 // row of every place
	places []uint32 // place of every row; noLink if it has none

	near    *nearFile // nil if the store's own rows are read
	rows    *vectors.Rows
	base    []byte
	stride  int
	offsets []float64       // of the columns, as store.Manifest.Offsets; nil: none
	scale   int             // of the rows, as store.Manifest.Scale: queries are of unscaled rows
	space   *distance.Space // over the rows as they are
	floats  *distance.Space // over float32, for queries that their type does not hold

	file        *vectors.MappedFile // nil if the links are in memory
	sparse      bool                // memory does not hold rows and links
	links       *links
	coded       *coded // nil where memory holds no codes
	outer       outer
	starts      starts // where memory holds neither rows nor codes
	leaders     []byte // their rows, side by side
	leaderIDs   []uint32
	leaderNorms []float64

	mu      sync.Mutex
	told    int
	state   State
	walkers []*walker // idle

	queries, evaluations, estimates, hops, scans, reads atomic.Int64
}

// State says where the links and codes of a Searcher come from.
type State struct {
	Origin           // of the links
	Islands   int    // that walks begin in: sets of rows that no link joins
	Unled     bool   // there may be more islands; searches miss most of their rows, unless they are exact or by codes
	Codes     int    // bytes of the code that memory holds of every row; 0: it holds none
	CodesFrom Origin // of the codes; its zero value where there are none
	RowsFrom  Origin // of the copy of the rows in an order of locality; its zero value where there is to be none
}

// An Origin says where a derived file, or its contents, comes from.
type Origin struct {
	Kept     bool  // it is in DIR/search
	Made     bool  // Open made it
	Replaced error // the fault of the file that was there; nil if it had none or was absent
	Why      error // why it is only in memory
}

// State returns where links, codes and rows come from.
func (s *Searcher) State() State { return s.state }

// Counts are the cost of all queries since Open.
type Counts struct {
	Queries     int64 `json:"queries"`
	Evaluations int64 `json:"evaluations"` // distances computed, including those of leaders
	Estimates   int64 `json:"estimates"`   // of distances, by codes
	Hops        int64 `json:"hops"`        // places whose links were followed
	Scans       int64 `json:"scans"`       // queries that were compared with every row that may be a result
	Reads       int64 `json:"reads"`       // requested by walks, in memory or not: of a page by codes, else of 16 KiB; 0 if memory holds all
}

// Counts returns the cost of queries so far.
func (s *Searcher) Counts() Counts {
	return Counts{s.queries.Load(), s.evaluations.Load(), s.estimates.Load(), s.hops.Load(), s.scans.Load(), s.reads.Load()}
}

// Sub returns the difference of two counts.
func (c Counts) Sub(b Counts) Counts {
	return Counts{c.Queries - b.Queries, c.Evaluations - b.Evaluations, c.Estimates - b.Estimates, c.Hops - b.Hops, c.Scans - b.Scans, c.Reads - b.Reads}
}

// Leaders returns the number of rows that every walk looks at first.
func (s *Searcher) Leaders() int { return len(s.links.leaders) }

// Bytes returns the size of the links, on disk or in memory.
func (s *Searcher) Bytes() int64 { return int64(s.links.size()) }

// Dim returns the number of elements of a query.
func (s *Searcher) Dim() int { return s.rows.Dim() }

// Len returns the number of rows that can be found: those with a place in the graph.
func (s *Searcher) Len() int { return len(s.order) }

// Close waits for running calls, then unmaps rows and links, so it must not be called from within one, for
// example from Query.Keep. Later calls that return an error return store.ErrClosed. The store stays open.
func (s *Searcher) Close() error {
	if !s.calls.Close() {
		return nil
	}
	var errs []error
	if s.file != nil {
		errs = append(errs, s.file.Close())
		s.file = nil
	}
	if s.near != nil {
		errs = append(errs, s.near.file.Close())
		s.near = nil
	}
	if s.in != nil {
		errs = append(errs, s.in.Close())
		s.in = nil
	}
	return errors.Join(errs...)
}

// Vector appends the elements of a row to dst[:0]. Errors: store.ErrNoRow, also for a row without a place in
// the graph, store.ErrClosed and vectors.ErrFault.
func (s *Searcher) Vector(row store.Row, dst []float32) ([]float32, error) {
	if !s.calls.Enter() {
		return nil, store.ErrClosed
	}
	defer s.calls.Leave()
	place, err := s.placeOf(row)
	if err != nil {
		return nil, err
	}
	dst = sized(dst, s.Dim())
	err = vectors.Guard(func() error {
		s.space.Float32(s.rows.Row(int(place)), dst)
		if s.scale != 0 || s.offsets != nil {
			s.given(dst)
		}
		return nil
	})
	return dst, err
}

// Raw copies a row to dst as it was given, in the type of the rows; whole is false if it is not stored so,
// but scaled or less offsets. dst has the size of a row: Dim elements of the type that store.Manifest.RowType
// gives. Errors: those of Vector, and ErrQuery if dst has another size.
func (s *Searcher) Raw(row store.Row, dst []byte) (whole bool, err error) {
	if !s.calls.Enter() {
		return false, store.ErrClosed
	}
	defer s.calls.Leave()
	if whole, err := s.whole(len(dst), 1); !whole {
		return false, err
	}
	place, err := s.placeOf(row)
	if err != nil {
		return false, err
	}
	err = vectors.Guard(func() error {
		copy(dst, s.rows.Row(int(place)))
		return nil
	})
	return err == nil, err
}

// RawAll is Raw for several rows, which it copies one after the other; dst has the size of all. Errors: those
// of Raw.
func (s *Searcher) RawAll(rows []uint32, dst []byte) (whole bool, err error) {
	if !s.calls.Enter() {
		return false, store.ErrClosed
	}
	defer s.calls.Leave()
	if whole, err := s.whole(len(dst), len(rows)); !whole {
		return false, err
	}
	size := s.rows.Dim() * s.rows.Type().Size()
	err = vectors.Guard(func() error {
		for i, row := range rows {
			place, err := s.placeOf(store.Row(row))
			if err != nil {
				return err
			}
			copy(dst[i*size:(i+1)*size], s.rows.Row(int(place)))
		}
		return nil
	})
	return err == nil, err
}

// whole reports whether rows are stored as they were given. It is an error if n rows do not have size bytes.
func (s *Searcher) whole(size, n int) (bool, error) {
	if want := n * s.rows.Dim() * s.rows.Type().Size(); size != want {
		return false, fmt.Errorf("%w: dst has %d bytes, want %d of %d rows", ErrQuery, size, want, n)
	}
	return s.scale == 0 && s.offsets == nil, nil
}

// Wide returns a row as a source of one query. It is not rounded if the store holds rows less offsets
// (store.Manifest.Offsets), as Vector is. Errors: those of Vector.
func (s *Searcher) Wide(row store.Row) (vectors.Source, error) {
	if !s.calls.Enter() {
		return nil, store.ErrClosed
	}
	defer s.calls.Leave()
	place, err := s.placeOf(row)
	if err != nil {
		return nil, err
	}
	stored, w := make([]float32, s.Dim()), make(wideRow, s.Dim())
	err = vectors.Guard(func() error {
		s.space.Float32(s.rows.Row(int(place)), stored)
		return nil
	})
	for i, x := range stored {
		w[i] = math.Ldexp(float64(x), -s.scale)
		if s.offsets != nil {
			w[i] += s.offsets[i]
		}
	}
	return w, err
}

// wideRow is one row of float64.
type wideRow []float64

func (w wideRow) Len() int           { return 1 }
func (w wideRow) Dim() int           { return len(w) }
func (w wideRow) Type() vectors.Type { return vectors.Float32 }

func (w wideRow) ReadRows(_ int, dst []byte) error {
	row := make([]float32, len(w))
	for i, x := range w {
		row[i] = float32(x)
	}
	return vectors.Encode(vectors.Float32, row, dst)
}

func (w wideRow) ReadWide(_ int, dst []float64) error {
	copy(dst, w)
	return nil
}

// given turns a stored row into one of the input. With offsets, float32 holds the result less exactly.
func (s *Searcher) given(row []float32) {
	for i, x := range row {
		x = vectors.Scale(x, -s.scale)
		if s.offsets != nil {
			x = float32(float64(x) + s.offsets[i])
		}
		row[i] = x
	}
}

func (s *Searcher) take() *walker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.walkers) - 1; last >= 0 {
		w := s.walkers[last]
		s.walkers = s.walkers[:last]
		return w
	}
	return newWalker(s)
}

func (s *Searcher) give(w *walker) {
	s.queries.Add(1)
	s.evaluations.Add(w.evaluations)
	s.estimates.Add(w.estimates)
	s.hops.Add(w.hops)
	s.scans.Add(w.scans)
	s.reads.Add(w.reads)
	s.mu.Lock()
	s.walkers = append(s.walkers, w)
	s.mu.Unlock()
}
