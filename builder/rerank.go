package builder

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// reranker orders candidates by their exact keys: one per goroutine.
type reranker struct {
	*points
	found    *candidates.Lists
	evaluate leaf.Keys
	tile     *codes.Tile
	places   []uint32
	nearest  []float32
	numbers  []uint32 // in the order of keys
	entries  []uint64
}

func newReranker(ps *points, found *candidates.Lists) *reranker {
	k := found.K
	return &reranker{points: ps, found: found, evaluate: ps.keys(), tile: ps.codes.NewTile(),
		places: make([]uint32, k), nearest: make([]float32, k), numbers: make([]uint32, k), entries: make([]uint64, k)}
}

// list returns the k nearest of a place's candidates by (key, row). The slices
// are reused.
func (w *reranker) list(place uint32) (places []uint32, keys []float32, err error) {
	n := w.found.Len(place)
	for i := range n {
		w.places[i] = w.found.At(place, i).Place()
	}
	if err := w.exactKeys(place, n); err != nil {
		return nil, nil, err
	}
	w.sort(n)
	n = min(n, w.k)
	return w.places[:n], w.nearest[:n], nil
}

// sort sorts n places and their keys by (key, row): a kernel merges them into an empty list.
// With insertion, though codes sort them nearly, reranking GIST took 72 ms for 63.
func (w *reranker) sort(n int) {
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
func (w *reranker) sortTies(n int) {
	for from, to := 0, 0; from < n; from = to {
		for to = from + 1; to < n && w.nearest[to] == w.nearest[from]; to++ {
		}
		slices.SortFunc(w.places[from:to], func(x, y uint32) int { return cmp.Compare(w.order[x], w.order[y]) })
	}
}

// exactKeys sets the keys of the first n places, which lists of keys have, and which the
// codes tell where they are exact.
func (w *reranker) exactKeys(place uint32, n int) error {
	if w.keyed {
		for i := range n {
			w.nearest[i] = candidates.KeyOf(w.found.At(place, i).Distance())
		}
		return nil
	}
	if w.codes.Exact() {
		for i := range n {
			w.nearest[i] = float32(w.found.At(place, i).Distance())
		}
		return nil
	}
	_, err := w.evaluate(place, w.places[:n], w.nearest)
	return err
}

// rerank makes the running lists of the candidates, in their memory.
func (m *ballsMethod) rerank() (err error) {
	p := m.Begin("rerank", "rows", int64(m.n()))
	defer p.End("")
	m.freeRound()
	m.lists, err = rank(m.Ctx, &m.points, m.found, p.Add)
	m.restore()
	return err
}

// rank makes lists of candidates, in their memory, and tells progress of each range of
// rows.
func rank(ctx context.Context, ps *points, found *candidates.Lists, progress func(rows int)) (*union.Lists, error) {
	lists := union.Over(found.Words(), ps.n(), ps.k, 2*found.K, ps.order)
	return lists, vectors.Apart(ps.threads, ps.n(), 1024, func() func(from, to int) error {
		w := newReranker(ps, found)
		return func(from, to int) error {
			for place := from; place < to; place++ {
				ids, keys, err := w.list(uint32(place))
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
