package sparsesearch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/inflight"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/sparse"
)

// ErrQuery: a query cannot be answered as it is, for its columns, its values or its options.
var ErrQuery = errors.New("sparsesearch: bad query")

// A Vector is a query: its values at ascending columns, all others being zero.
type Vector struct {
	Columns []uint32  // ascending, below Searcher.Columns
	Values  []float32 // one for each of Columns, finite
}

// A Query says which rows are wanted. K or Within is needed.
type Query struct {
	// K is the number of rows wanted, the nearest. 0 asks for all within Within.
	K int
	// Within keeps only results at most so far away. Nil: any.
	Within *float32
	// Keep reports whether a row may be a result. Nil: all may. Several goroutines call it.
	Keep func(store.Row) bool
}

// Options of a Searcher. A nil *Options means all defaults.
type Options struct {
	Threads int // of a call; 0 is GOMAXPROCS
}

// A Searcher answers queries over one store. It is safe for concurrent use.
type Searcher struct {
	calls   inflight.Calls // those that read rows
	g       *store.Store
	rows    *sparse.Rows
	order   []uint32 // the row at each place, ascending
	metric  distance.Metric
	norms   []float64 // of each place, under cosine; nil under ip
	threads int
}

// Open makes a store of sparse rows ready for queries. It reads every row once. The caller
// closes the Searcher before the Store. Errors: store.ErrNotSparse, store.ErrCorrupt.
func Open(g *store.Store, opts *Options) (*Searcher, error) {
	if opts == nil {
		opts = new(Options)
	}
	if g == nil {
		return nil, vectors.Misused(errors.New("sparsesearch: the store is nil"))
	}
	metric, err := distance.ParseMetric(g.Info().Manifest.Metric)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrCorrupt, err)
	}
	s := &Searcher{g: g, metric: metric, threads: opts.Threads}
	if s.threads <= 0 {
		s.threads = runtime.GOMAXPROCS(0)
	}
	if s.rows, s.order, err = g.Sparse(); err != nil {
		return nil, err
	}
	if metric == distance.Cosine {
		err = vectors.Guard(s.measure)
	}
	if err != nil {
		return nil, errors.Join(err, s.rows.Close())
	}
	return s, nil
}

// measure computes the norms of all rows.
func (s *Searcher) measure() error {
	s.norms = make([]float64, s.rows.Len())
	for i := range s.norms {
		s.norms[i] = s.rows.Norm(i)
	}
	return nil
}

// Close waits for running calls, then unmaps the rows: it must not be called from within one,
// from Query.Keep for example. Later calls of Row, Search and SearchAll return store.ErrClosed.
func (s *Searcher) Close() error {
	if !s.calls.Close() {
		return nil
	}
	return s.rows.Close()
}

// Len is the number of rows that can be found.
func (s *Searcher) Len() int { return s.rows.Len() }

// Columns is the number of columns of a row.
func (s *Searcher) Columns() int { return s.rows.Columns() }

// Row returns a copy of a row of the store, as a query. Errors: store.ErrNoRow where no vector
// was built under this number, store.ErrClosed.
func (s *Searcher) Row(row store.Row) (v Vector, err error) {
	if !s.calls.Enter() {
		return v, store.ErrClosed
	}
	defer s.calls.Leave()
	if row >= store.Row(s.g.Len()) {
		return v, fmt.Errorf("%w: %d, the store has %d rows, from 0", store.ErrNoRow, row, s.g.Len())
	}
	place, ok := slices.BinarySearch(s.order, uint32(row))
	if !ok {
		return v, fmt.Errorf("%w: row %d has no vector in the graph", store.ErrNoRow, row)
	}
	err = vectors.Guard(func() error {
		columns, values := s.rows.Row(place)
		v = Vector{slices.Clone(columns), slices.Clone(values)}
		return nil
	})
	return v, err
}

// Search returns the rows nearest to a query, ascending by distance and then by row. Errors:
// ErrQuery, store.ErrClosed.
func (s *Searcher) Search(v Vector, q Query) ([]store.Neighbor, error) {
	found, err := s.SearchAll(context.Background(), []Vector{v}, q)
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// SearchAll answers many queries on all threads: one list for each. An error names the query;
// that of ctx ends the call. Errors: those of Search.
func (s *Searcher) SearchAll(ctx context.Context, queries []Vector, q Query) ([][]store.Neighbor, error) {
	if !s.calls.Enter() {
		return nil, store.ErrClosed
	}
	defer s.calls.Leave()
	if err := q.check(s.Len()); err != nil {
		return nil, err
	}
	for i, v := range queries {
		if err := s.check(v); err != nil {
			return nil, fmt.Errorf("query %d: %w", i, err)
		}
	}
	found := make([][]store.Neighbor, 0, len(queries))
	for from := 0; from < len(queries); from += together {
		some := queries[from:min(from+together, len(queries))]
		lists, err := newPass(s, some, q).run(ctx)
		if err != nil {
			return nil, err
		}
		found = append(found, lists...)
	}
	return found, nil
}

// check completes a query's options.
func (q *Query) check(n int) error {
	switch {
	case q.K < 0:
		return fmt.Errorf("%w: K is %d, want 0 or more", ErrQuery, q.K)
	case q.K == 0 && q.Within == nil:
		return fmt.Errorf("%w: K is 0, and no distance bounds the results", ErrQuery)
	case q.Within != nil && *q.Within != *q.Within:
		return fmt.Errorf("%w: within NaN", ErrQuery)
	}
	q.K = min(q.K, n)
	return nil
}

// check refuses a vector that cannot be compared.
func (s *Searcher) check(v Vector) error {
	if len(v.Columns) != len(v.Values) {
		return fmt.Errorf("%w: %d columns and %d values", ErrQuery, len(v.Columns), len(v.Values))
	}
	for i, c := range v.Columns {
		switch x := v.Values[i]; {
		case int(c) >= s.Columns() || i > 0 && c <= v.Columns[i-1]:
			return fmt.Errorf("%w: column %d at position %d, want ascending ones below %d", ErrQuery, c, i, s.Columns())
		case x-x != 0:
			return fmt.Errorf("%w: column %d has the value %v", ErrQuery, c, x)
		}
	}
	switch norm := sparse.Norm(v.Values); {
	case norm == 0 && s.metric == distance.Cosine:
		return fmt.Errorf("%w: a vector of zeros has no direction, which cosine compares", ErrQuery)
	case norm*norm > math.MaxFloat32/4 && s.metric == distance.IP:
		return fmt.Errorf("%w: its squared norm is beyond a quarter of the largest float32, so distances would overflow", ErrQuery)
	}
	return nil
}
