package living

import (
	"fmt"
	"slices"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/walk"
	"github.com/knng/knng/store/living/internal/layer"
	"github.com/knng/knng/store/living/internal/tail"
	"github.com/knng/knng/store/search"
)

// A walker answers one query at a time. A ref is a position of the base or, from the base's length on, a row
// of the tail, as in package layer.
//
// It walks the base first. From all that it met there, it follows links to rows of the layer, always from the
// nearest. Then it begins at rows of the layer, and at the nearest of their islands: if these came first, a
// crowd of them might be all that it looks around.
type walker struct {
	v      *View
	t      tail.Target
	base   uint32    // refs of the tail begin here
	open   walk.Heap // refs with links that were not followed, by key
	near   best      // live refs, as many as the effort
	best   best      // live rows of the tail, as many as the query wants
	met    walk.Visited
	hidden uint32                        // ref that is left out as if it were absent; as the first of an island, a walk still begins at it
	beyond bool                          // distances of some results are beyond float32: these are left out
	seen   func(ref uint32, key float32) // is called with all that is compared, including dead rows that links lead to; may be nil
}

func (v *View) walker() *walker {
	w, ok := v.walkers.Get().(*walker)
	if !ok {
		w = &walker{v: v}
	}
	w.v, w.seen, w.base, w.hidden = v, nil, v.st.positions(), layer.NoRef
	return w
}

// positions returns the number of positions of the base.
func (st *state) positions() uint32 {
	if st.base == nil {
		return 0
	}
	return uint32(st.base.g.Len())
}

// covered returns how many rows of the tail are in the layer.
func (s *snapshot) covered() uint32 {
	if s.layer == nil {
		return 0
	}
	return s.layer.Rows
}

// walks reports whether links of the layer answer a query, rather than a comparison with all rows of the tail
// that pass.
func (v *View) walks(q *Query) bool {
	return v.snap.covered() > 0 && !q.Exact && q.K > 0 && q.Within == nil && q.Keep == nil && q.Only == nil
}

// set takes the vector of a query.
func (w *walker) set(query []float32, k, effort int) error {
	if !w.t.Set(w.v.snap.part, query) {
		if w.v.st.metric.ConstantIsBad() {
			return fmt.Errorf("%w: its elements are all equal, which have no %v", search.ErrQuery, w.v.st.metric)
		}
		return fmt.Errorf("%w: a vector of zeros has no direction, which %v compares", search.ErrQuery, w.v.st.metric)
	}
	w.open, w.near, w.best = w.open[:0], best{effort, w.near.all[:0]}, best{k, w.best.all[:0]}
	w.met.Clear()
	w.beyond = false
	return nil
}

// live reports whether a ref lives.
func (v *View) live(ref uint32) bool {
	if base := v.st.positions(); ref >= base {
		return v.snap.part.Live(ref - base)
	}
	return v.st.livesAt(ref, v.snap.ops)
}

// compare compares a query with every row of the tail that may be a result, and searches the
// base.
func (w *walker) compare(query []float32, q *Query) (found []store.Neighbor, err error) {
	if err := w.set(query, q.K, 0); err != nil {
		return nil, err
	}
	w.tail(0, q)
	if w.v.st.base != nil {
		if found, err = w.searchBase(nil, query, q, w.told(q.Exact)); err != nil {
			return nil, err
		}
	}
	return w.shown(found, q.Within)
}

// told returns a function that calls seen with each position once; nil if seen is nil. A comparison with all
// rows meets each only once.
func (w *walker) told(exact bool) func(store.Row, float32) {
	switch {
	case w.seen == nil:
		return nil
	case exact:
		return func(row store.Row, key float32) { w.seen(uint32(row), key) }
	}
	return func(row store.Row, key float32) {
		if w.met.Add(uint32(row)) {
			w.seen(uint32(row), key)
		}
	}
}

// tail compares the query with the rows of the tail from one on.
func (w *walker) tail(from uint32, q *Query) {
	var admit func(uint32) bool
	if q.Keep != nil || q.Only != nil {
		admit = func(at uint32) bool {
			return (q.Only == nil || q.Only.tail[at]) && (q.Keep == nil || q.Keep(store.Row(w.v.st.first+uint64(at))))
		}
	}
	w.t.Each(w.v.snap.part, from, admit, func(row uint32, key float32) {
		if w.base+row == w.hidden {
			return
		}
		w.best.offer(row, key)
		if w.seen != nil {
			w.seen(w.base+row, key)
		}
	})
}

// walk finds results by the links of the base and of the layer. They may be too few if links end.
func (w *walker) walk(query []float32, q *Query) ([]store.Neighbor, error) {
	effort := q.Effort
	if effort == 0 {
		effort = max(search.MinEffort, 2*q.K)
	}
	if err := w.set(query, q.K, max(effort, q.K)); err != nil {
		return nil, err
	}
	l := w.v.snap.layer
	w.tail(l.Rows, q)
	found, err := w.searchBase(nil, query, q, func(row store.Row, key float32) { w.meet(uint32(row), key) })
	if err != nil {
		return nil, err
	}
	w.follow(l)
	for _, row := range l.Enters() {
		w.visit(row)
	}
	w.land(l)
	w.follow(l)
	return w.shown(found, nil)
}

// follow follows links, always from the nearest open ref.
func (w *walker) follow(l *layer.Layer) {
	for len(w.open) > 0 {
		e := w.open.Pop()
		if w.near.full() && walk.KeyOf(e) > w.near.bound() {
			break
		}
		for _, row := range l.Links(uint32(e)) {
			w.visit(row)
		}
	}
}

// landings is the number of nearest islands that a walk goes down.
const landings = 4

// land goes down each of the nearest islands: from its first row to the nearest linked row until nothing is
// nearer. No link leads to an island, and its first row may be further away than all earlier results although
// other rows of it are not.
func (w *walker) land(l *layer.Layer) {
	var nearest [landings]walk.Entry
	few := nearest[:0]
	for _, row := range l.Islands() {
		key := w.t.Key(w.v.snap.part, row)
		w.meet(w.base+row, key)
		e := walk.EntryOf(key, w.base+row)
		if len(few) < landings {
			few = append(few, e)
			slices.Sort(few)
		} else if e < few[landings-1] {
			few[landings-1] = e
			slices.Sort(few)
		}
	}
	for _, e := range few {
		for down := true; down; {
			down = false
			for _, row := range l.Links(uint32(e)) {
				key := w.t.Key(w.v.snap.part, row)
				w.meet(w.base+row, key)
				if next := walk.EntryOf(key, w.base+row); next < e && w.base+row != w.hidden {
					e, down = next, true
				}
			}
		}
	}
}

// visit compares a row of the layer, once.
func (w *walker) visit(row uint32) {
	if ref := w.base + row; !w.met.Has(ref) {
		w.meet(ref, w.t.Key(w.v.snap.part, row))
	}
}

// meet handles a ref that was compared, once.
func (w *walker) meet(ref uint32, key float32) {
	if !w.met.Add(ref) || ref == w.hidden {
		return
	}
	if w.seen != nil {
		w.seen(ref, key)
	}
	if key > w.near.bound() {
		return // looking up whether it lives costs a memory access
	}
	live := w.v.live(ref)
	w.open.Push(walk.EntryOf(key, ref))
	if live {
		w.near.offer(ref, key)
		if ref >= w.base {
			w.best.offer(ref-w.base, key)
		}
	}
}
