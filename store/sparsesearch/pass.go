package sparsesearch

import (
	"context"
	"math"
	"sync"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/walk"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/sparse"
)

// together is the number of queries of a pass: their sums stay in the first-level cache.
const together = 1024

// chunk is the number of rows that a thread takes at a time.
const chunk = 4096

// A pass compares some queries with all rows.
type pass struct {
	*Searcher
	q     Query
	limit walk.Entry // the largest that Within lets pass
	norms []float64  // of the queries; zeros under ip

	starts   []uint32 // of each column, where its postings begin, and the end
	postings []posting

	mu      sync.Mutex
	workers []*worker
}

// A posting is a query that has a column, and its value there.
type posting struct {
	query uint32
	value float32
}

func newPass(s *Searcher, queries []Vector, q Query) *pass {
	p := &pass{Searcher: s, q: q, limit: math.MaxUint64, norms: make([]float64, len(queries))}
	if q.Within != nil { // keys are the distances, under both metrics; + 0 turns -0 into 0
		p.limit = walk.EntryOf(*q.Within+0, math.MaxUint32)
	}
	p.starts = make([]uint32, s.Columns()+1)
	for i, v := range queries {
		if s.metric == distance.Cosine {
			p.norms[i] = sparse.Norm(v.Values)
		}
		for _, c := range v.Columns {
			p.starts[c+1]++
		}
	}
	for c := range s.Columns() {
		p.starts[c+1] += p.starts[c]
	}
	p.postings = make([]posting, p.starts[s.Columns()])
	next := append([]uint32(nil), p.starts...)
	for i, v := range queries {
		for j, c := range v.Columns {
			p.postings[next[c]] = posting{uint32(i), v.Values[j]}
			next[c]++
		}
	}
	return p
}

// run returns the list of every query.
func (p *pass) run(ctx context.Context) ([][]store.Neighbor, error) {
	err := vectors.Ranges(p.threads, p.Len(), chunk, func() func(from, to int) error {
		w := p.newWorker()
		return func(from, to int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			for place := from; place < to; place++ {
				w.meet(place)
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	lists := make([][]store.Neighbor, len(p.norms))
	for i := range lists {
		lists[i] = p.list(i)
	}
	return lists, nil
}

// list merges the results of all workers for a query.
func (p *pass) list(query int) []store.Neighbor {
	var all walk.Nearest
	p.reset(&all)
	for _, w := range p.workers {
		for _, e := range w.found[query].Sorted() {
			all.Offer(e)
		}
	}
	entries := all.Sorted()
	list := make([]store.Neighbor, len(entries))
	for i, e := range entries {
		list[i] = store.Neighbor{Row: store.Row(uint32(e)), Distance: p.g.Shown(walk.KeyOf(e))}
	}
	return list
}

// reset empties a list of results.
func (p *pass) reset(found *walk.Nearest) {
	keep := walk.Entry(0)
	if p.q.K == 0 {
		keep = p.limit
	}
	found.Reset(p.q.K, keep)
}

// A worker compares rows with all queries of a pass, on one goroutine.
type worker struct {
	*pass
	sums   []float64      // the products of a row with each query
	found  []walk.Nearest // of each query
	floors []float64      // of each query, products times the row's inverse norm that are too small
}

func (p *pass) newWorker() *worker {
	w := &worker{pass: p, sums: make([]float64, len(p.norms)), found: make([]walk.Nearest, len(p.norms)), floors: make([]float64, len(p.norms))}
	for i := range w.found {
		p.reset(&w.found[i])
		w.settle(i)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.workers = append(p.workers, w)
	return w
}

// meet offers the row at a place to every query.
func (w *worker) meet(place int) {
	clear(w.sums)
	columns, values := w.rows.Row(place)
	for j, c := range columns {
		x := float64(values[j])
		for _, p := range w.postings[w.starts[c]:w.starts[c+1]] {
			w.sums[p.query] += x * float64(p.value)
		}
	}
	norm, inverse := 0.0, 1.0
	if w.Searcher.norms != nil {
		norm = w.Searcher.norms[place]
		inverse = 1 / norm
	}
	for i, dot := range w.sums {
		if dot*inverse >= w.floors[i] {
			w.offer(i, place, dot, norm)
		}
	}
}

// offer offers a row to one query.
func (w *worker) offer(query, place int, dot, norm float64) {
	row := w.order[place]
	e := walk.EntryOf(distance.OfProduct(w.metric, dot, w.norms[query], norm), row)
	if e > w.limit || e > w.found[query].Bound() || w.q.Keep != nil && !w.q.Keep(store.Row(row)) {
		return
	}
	w.found[query].Offer(e)
	w.settle(query)
}

// settle computes the floor of a query: below it the key is above the worst that is kept.
func (w *worker) settle(query int) {
	const rounding = 5e-7 // of a key up to 2 to float32, and of the arithmetic before
	bound := min(w.limit, w.found[query].Bound())
	worst := float64(walk.KeyOf(bound))
	switch {
	case bound == math.MaxUint64:
		w.floors[query] = math.Inf(-1)
	case w.metric == distance.Cosine:
		w.floors[query] = (1 - worst - rounding) * w.norms[query]
	default:
		w.floors[query] = -worst - math.Abs(worst)*rounding - math.SmallestNonzeroFloat32
	}
}
