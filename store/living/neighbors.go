package living

import (
	"math"
	"slices"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/layer"
	"github.com/knng/knng/store/living/internal/tail"
)

// NeighborsOptions tunes Neighbors. The zero value works.
type NeighborsOptions struct {
	// Exact compares the row with all live rows.
	Exact bool
	// Effort is the effort of the search that completes a list, or finds it for a row that is not in the
	// graph yet; 0 is search's default.
	Effort int
}

// Neighbors returns the list of a live row: the nearest other live rows, min(K, Len-1) of them. It joins the
// list in the graph, without its dead entries, with the rows that are not in the graph yet. If more entries
// are dead than the list has to spare, or the row itself is not in the graph, it searches the graph. opts may
// be nil. Errors: ErrNoRow, ErrCorrupt, ErrClosed, vectors.ErrFault.
func (v *View) Neighbors(row store.Row, opts *NeighborsOptions) ([]store.Neighbor, error) {
	if !v.calls.Enter() {
		return nil, ErrClosed
	}
	defer v.calls.Leave()
	if opts == nil {
		opts = new(NeighborsOptions)
	}
	return v.neighbors(row, opts)
}

// neighbors is Neighbors within a call.
func (v *View) neighbors(row store.Row, opts *NeighborsOptions) ([]store.Neighbor, error) {
	p, at, err := v.st.locate(v.snap, uint64(row))
	if err != nil {
		return nil, err
	}
	query, err := v.st.vectorAt(v.snap, p, at, nil)
	if err != nil {
		return nil, err
	}
	k := min(v.st.k, v.Len()-1)
	if k == 0 {
		return nil, nil
	}
	q := Query{K: k + 1, Effort: opts.Effort, Exact: opts.Exact}
	if opts.Exact || at != tail.NoRow && at >= v.snap.covered() {
		return v.searchAround(row, query, q, k)
	}
	if at != tail.NoRow {
		p = v.st.positions() + at
	}
	list, whole, err := v.listed(p, query, k)
	if whole || err != nil {
		return list, err
	}
	more, err := v.searchAround(row, query, q, k)
	if err != nil {
		return nil, err
	}
	return nearest(distinct(append(list, more...)), k), nil
}

// listed returns the list of a ref without dead entries, joined with the rows that are not in the graph yet.
// whole reports whether no entry is missing: k of them are within the horizon.
func (v *View) listed(ref uint32, query []float32, k int) (found []store.Neighbor, whole bool, err error) {
	list, horizon, err := v.listOf(ref)
	if err != nil {
		return nil, false, err
	}
	list = slices.DeleteFunc(list, func(e layer.Entry) bool { return e.Key > horizon || !v.live(e.To) })
	w := v.walker()
	defer v.walkers.Put(w)
	if err := w.set(query, k, 0); err != nil {
		return nil, false, err
	}
	slices.SortFunc(list, layer.Compare)
	list = list[:min(k, len(list))]
	bound := layer.Inf
	if len(list) == k {
		bound = list[k-1].Key
	}
	w.t.Each(v.snap.part, v.snap.covered(), nil, func(row uint32, key float32) {
		if key <= bound { // few rows are as near as the end of the list
			w.best.offer(row, key)
		}
	})
	if len(w.best.all) > 0 {
		for _, e := range w.best.all {
			list = append(list, layer.Entry{To: w.base + e.row, Key: e.key})
		}
		slices.SortFunc(list, layer.Compare)
		list = list[:min(k, len(list))]
	}
	for _, e := range list {
		found = append(found, store.Neighbor{Row: v.st.rowOf(e.To), Distance: v.st.shown(e.Key)})
	}
	return nearest(found, k), len(list) == k && list[k-1].Key <= horizon, nil
}

// listOf returns the list of a ref from the base and the layer, including dead entries, and its horizon.
func (v *View) listOf(ref uint32) (list []layer.Entry, horizon float32, err error) {
	horizon = layer.Inf
	if ref < v.st.positions() {
		to, keys, err := v.st.base.g.Keyed(store.Row(ref), nil, nil)
		if err != nil {
			return nil, 0, err
		}
		for i := range to {
			list = append(list, layer.Entry{To: to[i], Key: keys[i]})
		}
		horizon = v.st.base.horizon(keys)
	}
	if l := v.snap.layer; l != nil {
		if i, ok := l.Lists.Find(ref); ok {
			horizon = min(horizon, l.Lists.Horizons[i])
			to, keys := l.Lists.At(i)
			for j := range to {
				list = append(list, layer.Entry{To: to[j], Key: keys[j]})
			}
		}
	}
	return list, horizon, nil
}

// horizon returns the horizon of a list of the base: it holds all rows, or the nearest.
func (b *base) horizon(keys []float32) float32 {
	switch {
	case len(keys) >= b.count-1:
		return layer.Inf
	case len(keys) == 0:
		return float32(math.Inf(-1))
	}
	return keys[len(keys)-1]
}

// rowOf returns the number of a ref.
func (st *state) rowOf(ref uint32) store.Row {
	if base := st.positions(); ref >= base {
		return store.Row(st.first + uint64(ref-base))
	}
	return store.Row(st.base.rows.row(ref))
}

// searchAround finds the k nearest other rows.
func (v *View) searchAround(row store.Row, query []float32, q Query, k int) ([]store.Neighbor, error) {
	found, err := v.search(query, q)
	if err != nil {
		return nil, err
	}
	return without(found, row, k), nil
}

// without removes a row, and all rows after the first k others.
func without(found []store.Neighbor, row store.Row, k int) []store.Neighbor {
	found = slices.DeleteFunc(found, func(n store.Neighbor) bool { return n.Row == row })
	return found[:min(k, len(found))]
}

// distinct removes repeated rows.
func distinct(list []store.Neighbor) []store.Neighbor {
	seen := make(map[store.Row]bool, len(list))
	return slices.DeleteFunc(list, func(n store.Neighbor) bool {
		twice := seen[n.Row]
		seen[n.Row] = true
		return twice
	})
}
