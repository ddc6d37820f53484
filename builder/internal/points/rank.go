package points

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Ranker orders candidates by their exact keys; each goroutine has one.
type Ranker struct {
	*Points
	found    *candidates.Lists
	evaluate leaf.Keys
	tile     *codes.Tile
	places   []uint32
	next     []uint32 // of the next place
	nearest  []float32
	numbers  []uint32 // in the order of keys
	entries  []uint64
}

func NewRanker(ps *Points, found *candidates.Lists) *Ranker {
	k := found.K
	return &Ranker{Points: ps, found: found, evaluate: ps.Keys(), tile: ps.Codes.NewTile(),
		places: make([]uint32, k), next: make([]uint32, k), nearest: make([]float32, k), numbers: make([]uint32, k), entries: make([]uint64, k)}
}

// List returns the k nearest of a place's candidates by (key, row). The slices are reused.
func (w *Ranker) List(place uint32) (places []uint32, keys []float32, err error) {
	n := w.found.Len(place)
	for i := range n {
		w.places[i] = w.found.At(place, i).Place()
	}
	if err := w.exactKeys(place, n); err != nil {
		return nil, nil, err
	}
	w.sort(n)
	n = min(n, w.K)
	return w.places[:n], w.nearest[:n], nil
}

// sort sorts n places and their keys by (key, row) with the kernel that merges lists. An insertion sort took
// 72 ms instead of 63 on GIST, although codes have almost sorted them.
func (w *Ranker) sort(n int) {
	entries, numbers := w.entries[:n], w.numbers[:n]
	for i, key := range w.nearest[:n] {
		numbers[i], entries[i] = candidates.Ordered(key), math.MaxUint64
	}
	w.tile.Merge(entries, numbers, w.places[:n], math.MaxUint32)
	tied := false
	for i, e := range entries {
		w.places[i], w.nearest[i] = uint32(e)>>2, candidates.KeyOf(uint32(e>>32))
		tied = tied || i > 0 && w.nearest[i] == w.nearest[i-1]
	}
	if tied {
		w.sortTies(n)
	}
}

// sortTies sorts places of the same key by their rows.
func (w *Ranker) sortTies(n int) {
	for from, to := 0, 0; from < n; from = to {
		for to = from + 1; to < n && w.nearest[to] == w.nearest[from]; to++ {
		}
		slices.SortFunc(w.places[from:to], func(x, y uint32) int { return cmp.Compare(w.Order[x], w.Order[y]) })
	}
}

// expect prefetches the rows of a place's candidates, which are evaluated next.
func (w *Ranker) expect(place uint32) {
	if w.Keyed || w.Own != nil || w.Codes.Exact() {
		return
	}
	n := w.found.Len(place)
	for i := range n {
		w.next[i] = w.found.At(place, i).Place()
	}
	w.tile.Prefetch(w.Rows.Base(), w.Rows.Stride(), w.next[:n], w.Space.RowBytes())
}

// exactKeys sets the keys of the first n places. Lists of keys have them already, and exact codes
// imply them.
func (w *Ranker) exactKeys(place uint32, n int) error {
	if w.Keyed {
		for i := range n {
			w.nearest[i] = candidates.KeyOf(w.found.At(place, i).Distance())
		}
		return nil
	}
	if w.Codes.Exact() {
		for i := range n {
			w.nearest[i] = float32(w.found.At(place, i).Distance())
		}
		return nil
	}
	_, err := w.evaluate(place, w.places[:n], w.nearest)
	return err
}

// Rank makes lists of the nearest candidates, in the memory of the candidates. progress is called
// after each range of rows.
func Rank(ctx context.Context, ps *Points, found *candidates.Lists, progress func(rows int)) (*knn.Lists, error) {
	lists := knn.Over(found.Words(), ps.N(), ps.K, 2*found.K, ps.Order)
	return lists, vectors.Apart(ps.Threads, ps.N(), 1024, func() func(from, to int) error {
		w := NewRanker(ps, found)
		return func(from, to int) error {
			for place := from; place < to; place++ {
				if place+1 < to {
					w.expect(uint32(place + 1))
				}
				ids, keys, err := w.List(uint32(place))
				if err != nil {
					return err
				}
				lists.Set(uint32(place), ids, keys)
			}
			progress(to - from)
			return ctx.Err()
		}
	})
}
