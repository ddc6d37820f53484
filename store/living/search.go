package living

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/layer"
	"github.com/knng/knng/store/living/internal/tail"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// A Query says which live rows are wanted. It is like search.Query, but its rows are those of the living
// store, and Effort counts live rows.
type Query struct {
	K      int                  // rows wanted, the nearest; 0: all within Within
	Effort int                  // results around which a walk keeps looking; 0: as in search.Query
	Within *float32             // only results at most so far away; nil: any
	Keep   func(store.Row) bool // which rows may be results; nil: all. It is called by the goroutine that searches
	Only   *Set                 // the rows that may be results; nil: all
	Exact  bool                 // compare the query with every row that may be a result
}

// A Set is a set of rows that may be results of queries to the view that made it.
type Set struct {
	of   *View
	base *search.Set
	tail map[uint32]bool
}

// Only makes a set of live rows; it leaves out rows that are dead. Errors: ErrClosed.
func (v *View) Only(rows []store.Row) (*Set, error) {
	if !v.calls.Enter() {
		return nil, ErrClosed
	}
	defer v.calls.Leave()
	set := &Set{of: v, tail: map[uint32]bool{}}
	var positions []store.Row
	for _, row := range rows {
		switch p, at, err := v.st.locate(v.snap, uint64(row)); {
		case err != nil:
		case at != tail.NoRow:
			set.tail[at] = true
		default:
			positions = append(positions, store.Row(p))
		}
	}
	if v.st.base == nil {
		return set, nil
	}
	var err error
	set.base, err = v.st.base.s.Only(positions)
	return set, err
}

// Search returns the live rows nearest to a vector, nearest first, equally near rows by number: K of them, or
// all that pass if these are fewer. It joins a search of the graph with a comparison with every row that is
// not in it yet; with a filter, or without K, with every row put since the base was built. Errors:
// search.ErrQuery, ErrCorrupt, ErrClosed, vectors.ErrFault.
func (v *View) Search(query []float32, q Query) ([]store.Neighbor, error) {
	if !v.calls.Enter() {
		return nil, ErrClosed
	}
	defer v.calls.Leave()
	return v.search(query, q)
}

// search is Search within a call.
func (v *View) search(query []float32, q Query) ([]store.Neighbor, error) {
	return v.searchWithout(query, q, layer.NoRef)
}

// searchWithout is search as if a ref were absent.
func (v *View) searchWithout(query []float32, q Query, hidden uint32) ([]store.Neighbor, error) {
	if q.Only != nil && q.Only.of != v {
		return nil, fmt.Errorf("%w: the set of rows is another view's", search.ErrQuery)
	}
	if err := v.check(query, &q); err != nil {
		return nil, err
	}
	w := v.walker()
	defer v.walkers.Put(w)
	w.hidden = hidden
	if v.walks(&q) {
		found, err := w.walk(query, &q)
		if err != nil || len(found) >= min(q.K, v.Len()) {
			return nearest(found, q.K), err
		}
	}
	found, err := w.compare(query, &q)
	switch {
	case err != nil:
		return nil, err
	case w.beyond && (q.K == 0 || len(found) < q.K):
		return nil, errBeyond
	case v.st.base == nil: // sorted by keys, which distinguish more rows than very small distances
		return found, nil
	}
	return nearest(found, q.K), nil
}

// check checks and completes a query, also if there is no base.
func (v *View) check(query []float32, q *Query) error {
	switch {
	case len(query) != v.st.dim:
		return fmt.Errorf("%w: %d elements, the rows have %d", search.ErrQuery, len(query), v.st.dim)
	case q.K < 0 || q.K == 0 && q.Within == nil || q.Effort < 0:
		return fmt.Errorf("%w: K is %d, effort %d, and no distance bounds the results, or one of them is below 0", search.ErrQuery, q.K, q.Effort)
	case q.Within != nil && *q.Within != *q.Within:
		return fmt.Errorf("%w: within NaN", search.ErrQuery)
	}
	for i, x := range query {
		if x-x != 0 {
			return fmt.Errorf("%w: element %d is %v", search.ErrQuery, i, x)
		}
		if v.st.metric.Bits() && (x < 0 || x > 255 || x != float32(int(x))) {
			return fmt.Errorf("%w: element %d is %v, and %v compares packed bits: want bytes, 0 to 255", search.ErrQuery, i, x, v.st.metric)
		}
	}
	if q.K > math.MaxInt32 {
		q.K = math.MaxInt32
	}
	return nil
}

// nearest sorts results and keeps the k nearest, or all if k is 0.
func nearest(found []store.Neighbor, k int) []store.Neighbor {
	slices.SortFunc(found, func(a, b store.Neighbor) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
	})
	if k > 0 {
		found = found[:min(k, len(found))]
	}
	return found
}

// searchBase appends the results of the graph, and calls seen with all positions compared.
func (w *walker) searchBase(found []store.Neighbor, query []float32, q *Query, seen func(store.Row, float32)) ([]store.Neighbor, error) {
	v := w.v
	b, first := v.st.base, len(found)
	inner := search.Query{K: q.K, Effort: q.Effort, Within: q.Within, Exact: q.Exact, Keep: v.keep(q.Keep), Seen: seen}
	if q.Only != nil {
		inner.Only = q.Only.base
	}
	if w.hidden < w.base {
		row := store.Row(w.hidden)
		inner.Without = &row
	}
	found, err := b.s.Append(found, query, inner)
	if errors.Is(err, search.ErrQuery) && q.Within == nil { // rows that were put may be nearer than the distances beyond float32
		finite := float32(math.MaxFloat32)
		inner.Within, inner.Seen = &finite, nil
		var again error
		if found, again = b.s.Append(found, query, inner); again == nil {
			w.beyond, err = true, nil
		}
	}
	for i := first; i < len(found); i++ {
		found[i].Row = store.Row(b.rows.row(uint32(found[i].Row)))
	}
	return found, err
}

// keep returns which positions of the base may be results; nil for all.
func (v *View) keep(user func(store.Row) bool) func(store.Row) bool {
	b, ops := v.st.base, v.snap.ops
	switch {
	case user == nil && v.snap.liveBase == b.count:
		return nil
	case user == nil:
		return func(p store.Row) bool { return v.st.livesAt(uint32(p), ops) }
	}
	return func(p store.Row) bool {
		return v.st.livesAt(uint32(p), ops) && user(store.Row(b.rows.row(uint32(p))))
	}
}

// shown appends the best rows of the tail, nearest first, with the distances of their keys, except distances
// beyond float32. It returns search.ErrQuery if such rows are the nearest, or cannot be compared.
func (w *walker) shown(dst []store.Neighbor, within *float32) ([]store.Neighbor, error) {
	st := w.v.st
	w.best.sort()
	for _, e := range w.best.all {
		if d := st.metric.ShownOf(e.key, w.t.Scale()); within == nil || d <= *within {
			switch {
			case e.key > math.MaxFloat32:
				w.beyond = true
				return dst, nil
			case e.key-e.key != 0:
				return nil, errBeyond
			}
			dst = append(dst, store.Neighbor{Row: store.Row(st.first + uint64(e.row)), Distance: d})
		}
	}
	return dst, nil
}

var errBeyond = fmt.Errorf("%w: its distances are beyond float32", search.ErrQuery)

// shown converts a key of the graph into a distance.
func (st *state) shown(key float32) float32 { return st.metric.ShownOf(key, st.scale) }

// SearchAll answers many queries on threads goroutines, and returns the list of Search for each. An error
// names the query; cancelling ctx ends the call with its error. Errors: those of Search.
func (v *View) SearchAll(ctx context.Context, queries vectors.Source, q Query, threads int) ([][]store.Neighbor, error) {
	if !v.calls.Enter() {
		return nil, ErrClosed
	}
	defer v.calls.Leave()
	found := make([][]store.Neighbor, queries.Len())
	size := queries.Dim() * queries.Type().Size()
	err := vectors.Ranges(max(1, threads), len(found), 16, func() func(from, to int) error {
		raw, values := make([]byte, size), make([]float32, queries.Dim())
		return func(from, to int) (err error) {
			for i := from; i < to; i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := queries.ReadRows(i, raw); err != nil {
					return err
				}
				vectors.Decode(queries.Type(), raw, values)
				if found[i], err = v.search(values, q); err != nil {
					return fmt.Errorf("query %d: %w", i, err)
				}
			}
			return nil
		}
	})
	return found, err
}
