package measure

import (
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// groups are the rows of a store, grouped by equal bytes. The first rows of groups have the first places, in
// the order of a collapsed build.
type groups struct {
	first []uint32 // first place of the group of every place
	sizes []uint32 // by first place
}

func groupsOf(m *measurement) (*groups, error) {
	g := new(groups)
	var err error
	if g.first, err = vectors.FirstOf(m.Rows, vectors.AuditOptions{Context: m.ctx, Threads: m.Threads}); err != nil {
		return nil, err
	}
	for place, first := range g.first {
		switch {
		case int(first) == place && place == len(g.sizes):
			g.sizes = append(g.sizes, 1)
		case int(first) < len(g.sizes):
			g.sizes[first]++
		default:
			return nil, fmt.Errorf("%w: place %d has the first row of its kind, behind copies of others", store.ErrCorrupt, place)
		}
	}
	return g, nil
}

// perRowOfGroups returns the recall of a store's lists at some places. The exact lists have at most copies
// rows of a group, as far as other rows suffice.
func (m *measurement) perRowOfGroups(s *store.Store, places []uint32, copies int) ([]float64, error) {
	g, err := groupsOf(m)
	if err != nil {
		return nil, err
	}
	firsts := make([]uint32, len(places))
	for i, place := range places {
		firsts[i] = g.first[place]
	}
	solved := slices.Compact(slices.Sorted(slices.Values(firsts)))
	truth, err := m.exactlyOfFirsts(solved, len(g.sizes))
	if err != nil {
		return nil, err
	}
	near := recall.Groups{Sizes: g.sizes, K: m.K, Most: copies}
	per := make([]float64, len(places))
	var neighbors []uint32
	var keys []float32
	for i, place := range places {
		at, _ := slices.BinarySearch(solved, firsts[i])
		var ids []uint32
		var exact []float32
		if truth != nil {
			ids, exact = truth.List(at)
		}
		exact = near.Keys(solved[at], m.Self(solved[at]), ids, exact)
		if neighbors, keys, err = s.Keyed(store.Row(m.Order[place]), neighbors, keys); err != nil {
			return nil, err
		}
		per[i] = recall.OfAlike(exact, neighbors, keys, m.Order[place], m.K, m.Alike())
	}
	return per, nil
}

// exactlyOfFirsts computes the exact lists of places among the first distinct ones; nil if there is only one.
func (m *measurement) exactlyOfFirsts(places []uint32, distinct int) (*recall.Lists, error) {
	if distinct == 1 {
		return nil, nil
	}
	among := &points.Points{Space: m.Space, Threads: m.Threads, Rows: m.Rows.Head(distinct), Order: m.Order[:distinct], K: min(m.K, distinct-1)}
	if m.Norms != nil {
		among.Norms = m.Norms[:distinct]
	}
	return m.truth(among, places)
}
