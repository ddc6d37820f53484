package points

import (
	"cmp"
	"slices"

	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Points are rows and their metric, or the user's own distance, with norms, order, codes and filters.
type Points struct {
	Space   *distance.Space
	Own     func() leaf.Keys // returns keys for one goroutine under the user's own distance; nil: the space has the distance
	Threads int

	Rows  *vectors.Rows
	Norms []float64 // by place, under cosine and correlation
	Order []uint32  // the row at each place
	K     int       // length of the lists: min(K, n-1)

	Keyed bool // lists of candidates have keys, not distances of codes
	Screening

	Ascending []uint32 // 0, 1, ...: see Numbers
	vanish    vanish
}

// N returns the number of points.
func (ps *Points) N() int { return len(ps.Order) }

// Norm returns the norm of a place, 0 if the metric needs none.
func (ps *Points) Norm(place uint32) float64 {
	if ps.Norms == nil {
		return 0
	}
	return ps.Norms[place]
}

// Self returns the key of a row to itself, and to a copy of it.
func (ps *Points) Self(place uint32) float32 {
	row, norm := ps.Rows.Row(int(place)), ps.Norm(place)
	return ps.Space.Key(row, row, norm, norm)
}

// NormsOf computes the norms of all rows under cosine and correlation, in parallel.
func (ps *Points) NormsOf(rows *vectors.Rows) ([]float64, error) {
	if !ps.Space.NeedsNorms() {
		return nil, nil
	}
	norms := make([]float64, rows.Len())
	err := vectors.Ranges(ps.Threads, rows.Len(), 4096, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				norms[i] = ps.Space.Norm(rows.Row(i))
			}
			return nil
		}
	})
	return norms, err
}

// Over makes ps the n rows that lie one after the other in bytes. Their places are their numbers, which
// ascend with the rows, so ties are decided alike.
func (ps *Points) Over(bytes []byte, n int) (err error) {
	size := ps.Space.RowBytes()
	if ps.Rows, err = vectors.RowsOf(bytes, n, ps.Space.Dim(), size, ps.Space.Type()); err != nil {
		return err
	}
	ps.Norms, err = ps.NormsOf(ps.Rows)
	return err
}

// NoPlace is the place of a row that has none.
const NoPlace = ^uint32(0)

// PlaceOf inverts the order: it returns the place of each of the rows, NoPlace for isolated ones.
func (ps *Points) PlaceOf(rows int) []uint32 {
	places := make([]uint32, rows)
	for i := range places {
		places[i] = NoPlace
	}
	for place, row := range ps.Order {
		places[row] = uint32(place)
	}
	return places
}

// Numbers returns 0, 1, ... n-1.
func (ps *Points) Numbers(n int) []uint32 {
	for len(ps.Ascending) < n {
		ps.Ascending = append(ps.Ascending, uint32(len(ps.Ascending)))
	}
	return ps.Ascending[:n]
}

// Solver returns one goroutine's leaf solver.
func (ps *Points) Solver() *leaf.Solver {
	s := &leaf.Solver{Keys: ps.Keys()}
	if ps.Own == nil {
		base, stride := ps.Rows.Base(), ps.Rows.Stride()
		s.Block = func(xs, ys []uint32, out []float32) {
			ps.Space.Block(base, stride, ps.Norms, xs, ys, out)
		}
	}
	return s
}

// Keys returns one goroutine's function that computes keys.
func (ps *Points) Keys() leaf.Keys {
	if ps.Own != nil {
		return ps.Own()
	}
	return ps.KernelKeys()
}

// KernelKeys is Keys under the metric of the space.
func (ps *Points) KernelKeys() leaf.Keys {
	base, stride := ps.Rows.Base(), ps.Rows.Stride()
	return func(x uint32, ids []uint32, out []float32) (int, error) {
		ps.Space.Keys(ps.Rows.Row(int(x)), ps.Norm(x), base, stride, ps.Norms, ids, out)
		return len(ids), nil
	}
}

// Longest returns the places of the longest rows, most of them, ascending.
func (ps *Points) Longest(most int) []uint32 {
	lengths := make([]float64, ps.N())
	places := slices.Clone(ps.Numbers(ps.N()))
	for i := range lengths {
		lengths[i] = ps.Space.Norm(ps.Rows.Row(i))
	}
	slices.SortFunc(places, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(lengths[b], lengths[a]), cmp.Compare(a, b))
	})
	places = places[:min(most, len(places))]
	slices.Sort(places)
	return places
}
