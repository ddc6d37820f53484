package builder

import (
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/vectors"
)

// reranker orders candidates by their exact keys: one per goroutine.
type reranker struct {
	*run
	evaluate leaf.Keys
	places   []uint32
	keys     []float32
	ranked   []neighbor
}

type neighbor struct {
	key   float32
	row   uint32
	place uint32
}

func (r *run) reranker() *reranker {
	k := r.found.K
	return &reranker{run: r, evaluate: r.evaluator(), places: make([]uint32, k), keys: make([]float32, k), ranked: make([]neighbor, k)}
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
	ranked := w.ranked[:n]
	for i := range ranked {
		ranked[i] = neighbor{w.keys[i], w.order[w.places[i]], w.places[i]}
	}
	insertionSort(ranked)
	n = min(n, w.k)
	for i, x := range ranked[:n] {
		w.places[i], w.keys[i] = x.place, x.key
	}
	return w.places[:n], w.keys[:n], nil
}

// insertionSort sorts what the codes have nearly sorted, by (key, row).
func insertionSort(list []neighbor) {
	for i, x := range list {
		for ; i > 0; i-- {
			y := list[i-1]
			if y.key < x.key || y.key == x.key && y.row < x.row {
				break
			}
			list[i] = y
		}
		list[i] = x
	}
}

// exactKeys sets the keys of the first n places, which the codes tell where they
// are exact.
func (w *reranker) exactKeys(place uint32, n int) error {
	if w.codes.Exact() {
		for i := range n {
			w.keys[i] = float32(w.found.At(place, i).Distance())
		}
		return nil
	}
	_, err := w.evaluate(place, w.places[:n], w.keys)
	return err
}

// rerank makes the running lists of the candidates, in their memory.
func (r *run) rerank() error {
	p := r.begin("rerank", "rows", int64(r.n()))
	defer p.End("")
	r.freeRound()
	err := r.rank(p.Add)
	r.restore()
	return err
}

// rank sets the list of every place and tells progress of each range of rows.
func (r *run) rank(progress func(rows int)) error {
	r.lists = union.Over(r.found.Words(), r.n(), r.k, 2*r.found.K, r.order)
	return vectors.Apart(r.opts.Threads, r.n(), 1024, func() func(from, to int) error {
		w := r.reranker()
		return func(from, to int) error {
			for place := from; place < to; place++ {
				ids, keys, err := w.list(uint32(place))
				if err != nil {
					return err
				}
				r.lists.Set(uint32(place), ids, keys)
			}
			progress(to - from)
			return r.ctx.Err()
		}
	})
}
