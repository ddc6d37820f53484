package postings

import (
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/distance"
)

// worker makes the lists of the rows of units.
type worker struct {
	*run
	size  int
	sums  []float64 // of each row of a slab
	dense []float32 // a row by columns, zeros elsewhere; nil: no columns are left out
	x     []query   // rows of the unit
	lists *knn.Lists
	count int64 // products along postings
}

// query is a row whose list is made.
type query struct {
	place    int
	norm     float64
	level    int                 // of frequent columns, in the next slab
	most     int                 // the level does not go beyond it any more
	frequent [levels + 1]float64 // norm over the frequent columns of each level
}

// mostDense bounds the columns up to which a worker holds a row by columns.
const mostDense = 1 << 22

func newWorker(r *run, size int) *worker {
	w := &worker{run: r, size: size}
	if r.rows.Columns() <= mostDense {
		w.dense = make([]float32, r.rows.Columns())
	}
	most := 0
	for _, s := range r.index.slabs {
		most = max(most, s.n)
	}
	w.sums = make([]float64, most)
	return w
}

// unit makes the lists of some rows.
func (w *worker) unit(u int) ([]store.Lists, job.Counts, error) {
	from := u * w.size
	to := min(from+w.size, w.rows.Len())
	w.lists = knn.New(to-from, w.k, nil)
	defer w.lists.Free()
	w.x, w.count = w.x[:0], 0
	for place := from; place < to; place++ {
		q := query{place: place, norm: w.weights.norm(place), frequent: w.frequentNorms(place)}
		if w.dense != nil {
			q.most = levels
		}
		w.x = append(w.x, q)
	}
	for s := range w.index.slabs {
		if err := w.Ctx.Err(); err != nil {
			return nil, job.Counts{}, err
		}
		for i := range w.x {
			w.meet(i, &w.index.slabs[s])
		}
	}
	pairs := int64(0) // with rows before
	var block store.Lists
	for i, q := range w.x {
		ids, keys := w.lists.List(uint32(i))
		block.Append(uint32(q.place), ids, keys)
		pairs += int64(q.place)
	}
	return []store.Lists{block}, job.Counts{Requested: pairs, Evaluated: pairs, New: w.count}, nil
}

// meet offers the rows of a slab to the list of row i of the unit.
func (w *worker) meet(i int, s *slab) {
	q := &w.x[i]
	done, saved := w.add(q, s)
	w.count += done
	if q.level == 0 {
		w.take(i, s)
		q.level = min(1, q.most)
		return
	}
	cost := w.takeBounded(i, s)
	w.count += cost
	switch {
	case 2*cost > saved: // a product by columns takes longer than one along postings
		q.level--
		q.most = q.level
	case 8*cost < saved:
		q.level = min(q.level+1, q.most)
	}
}

// add sums the products of a row with those of a slab, over the columns that are not
// frequent. It returns how many products it took, and how many more all columns take.
func (w *worker) add(q *query, s *slab) (done, saved int64) {
	sums := w.sums[:s.n]
	clear(sums)
	starts, postings := w.index.in(s)
	split := w.index.splits[q.level]
	columns, values := w.rows.Row(q.place)
	for j, c := range columns {
		number := w.index.number[c]
		from, to := starts[number], starts[number+1]
		if number >= split {
			saved += int64(to - from)
			continue
		}
		done += int64(to - from)
		x := float64(values[j])
		for _, p := range postings[from:to] {
			sums[p.row] += x * float64(p.value)
		}
	}
	return done, saved
}

// take offers the rows of a slab by their sums, which are whole products.
func (w *worker) take(i int, s *slab) {
	q := &w.x[i]
	floor := w.floor(i)
	inverse := w.weights.inverse[s.from : s.from+s.n]
	for j, dot := range w.sums[:s.n] {
		if dot*inverse[j] < floor {
			continue
		}
		if y := s.from + j; y != q.place && w.offer(i, y, dot) {
			floor = w.floor(i)
		}
	}
}

// takeBounded offers the rows of a slab whose sums, with a bound of the rest, reach the
// list. It returns the products that this took.
func (w *worker) takeBounded(i int, s *slab) (cost int64) {
	q := &w.x[i]
	columns, values := w.rows.Row(q.place)
	for j, c := range columns {
		w.dense[c] = values[j]
	}
	floor, rest := w.floor(i), q.frequent[q.level]*(1+1e-6)
	inverse := w.weights.inverse[s.from : s.from+s.n]
	bounds := w.weights.frequent[q.level][s.from : s.from+s.n]
	for j, dot := range w.sums[:s.n] {
		if dot*inverse[j]+rest*float64(bounds[j]) < floor {
			continue
		}
		y := s.from + j
		if y == q.place {
			continue
		}
		whole, n := w.product(y)
		cost += int64(n)
		if w.offer(i, y, whole) {
			floor = w.floor(i)
		}
	}
	for _, c := range columns {
		w.dense[c] = 0
	}
	return cost
}

// product is the inner product of the row that is held by columns with row y.
func (w *worker) product(y int) (sum float64, n int) {
	columns, values := w.rows.Row(y)
	for j, c := range columns {
		sum += float64(w.dense[c]) * float64(values[j])
	}
	return sum, len(columns)
}

// floor is weights.floor for the list of row i of the unit.
func (w *worker) floor(i int) float64 {
	return w.weights.floor(w.x[i].norm, float64(w.lists.Worst(uint32(i))))
}

func (w *worker) offer(i, y int, dot float64) bool {
	return w.lists.Offer(uint32(i), uint32(y), distance.OfProduct(w.opts.Metric, dot, w.x[i].norm, w.weights.norm(y)))
}
