package living

import (
	"slices"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/tail"
)

// NeighborsOptions tunes Neighbors. The zero value works.
type NeighborsOptions struct {
	// Exact compares the row with all live rows.
	Exact bool
	// Effort is that of the search by which a list is completed, and found for a row that is in
	// no graph yet; 0 is search's default.
	Effort int
}

// Neighbors is the list of a live row: the nearest other live rows, min(K, Len-1) of them. It
// joins the list in the graph, less its dead entries, with the rows that are in no graph yet. Where
// more entries are dead than the list has to spare, and for a row that is in no graph itself,
// the graph is searched. opts may be nil. Errors: ErrNoRow, ErrCorrupt, vectors.ErrFault.
func (v *View) Neighbors(row store.Row, opts *NeighborsOptions) ([]store.Neighbor, error) {
	if opts == nil {
		opts = new(NeighborsOptions)
	}
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
	if at != tail.NoRow || opts.Exact {
		return v.searchAround(row, query, q, k)
	}
	list, short, err := v.listed(p, k)
	if err != nil {
		return nil, err
	}
	if !short {
		list, err = v.searchTail(list, query, &Query{K: k})
		return nearest(list, k), err
	}
	more, err := v.searchAround(row, query, q, k)
	if err != nil {
		return nil, err
	}
	return nearest(distinct(append(list, more...)), k), nil
}

// listed is the list of a position, less the dead. short reports that fewer than k are left,
// though there are more live rows in the base.
func (v *View) listed(p uint32, k int) (list []store.Neighbor, short bool, err error) {
	b := v.st.base
	if list, err = b.g.Neighbors(store.Row(p), nil); err != nil {
		return nil, false, err
	}
	live := list[:0]
	for _, n := range list {
		if v.st.livesAt(uint32(n.Row), v.snap.ops) {
			live = append(live, store.Neighbor{Row: store.Row(b.rows.row(uint32(n.Row))), Distance: n.Distance})
		}
	}
	return live, len(live) < min(k, v.snap.liveBase-1), nil
}

// searchAround finds the k nearest other rows.
func (v *View) searchAround(row store.Row, query []float32, q Query, k int) ([]store.Neighbor, error) {
	found, err := v.Search(query, q)
	if err != nil {
		return nil, err
	}
	return without(found, row, k), nil
}

// without leaves a row out, and all after k others.
func without(found []store.Neighbor, row store.Row, k int) []store.Neighbor {
	found = slices.DeleteFunc(found, func(n store.Neighbor) bool { return n.Row == row })
	return found[:min(k, len(found))]
}

// distinct leaves out rows that stand twice.
func distinct(list []store.Neighbor) []store.Neighbor {
	seen := make(map[store.Row]bool, len(list))
	return slices.DeleteFunc(list, func(n store.Neighbor) bool {
		twice := seen[n.Row]
		seen[n.Row] = true
		return twice
	})
}
