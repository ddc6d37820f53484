package exact

import (
	"math"
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/store"
)

// exactWorker holds the buffers of one goroutine.
type exactWorker struct {
	*Method
	solver *leaf.Solver
	before knn.Snapshot
	places []uint32
	sorted []uint32 // the same, ascending, as blocks on disk have them

	screen screen.Screen // nil under the user's own distance
	wide   int           // columns that it compares at a time
	self   bool          // a block is compared with itself
	worst  []float32     // of the columns
	closed []bool        // columns with lists that take no row of the block unless it is nearer
	near   []uint32
	ids    []uint32
	keys   []float32
}

func (m *Method) exactWorker(screens func() screen.Screen) *exactWorker {
	w := &exactWorker{Method: m, solver: m.Solver()}
	if screens != nil {
		w.screen, w.wide = screens(), m.ScreenColumns()
	}
	return w
}

// solve compares two blocks, or one with itself, and returns the entries that entered lists.
func (w *exactWorker) solve(pair [2]int) (block store.Lists, c job.Counts, err error) {
	w.places = w.schedule.block(w.places[:0], pair[0])
	split := len(w.places)
	if pair[1] != pair[0] {
		w.places = w.schedule.block(w.places, pair[1])
	}
	if !w.brief {
		w.sorted = append(w.sorted[:0], w.places...)
		slices.Sort(w.sorted)
		w.before.Take(w.Lists, w.sorted)
	}
	var count leaf.Count
	switch {
	case w.screen != nil:
		count, err = w.screened(split)
	case pair[1] == pair[0]:
		count, err = w.solver.Solve(w.places, nil, 0, w.both)
	default:
		count, err = w.solver.Cross(w.places, split, w.both)
	}
	block.Reset()
	if !w.brief {
		w.before.Added(w.Lists, block.Append)
	}
	return block, job.Counts{Requested: count.Requested, Evaluated: count.Evaluated}, err
}

func (w *exactWorker) both(i int, js []uint32, keys []float32) {
	w.Lists.OfferBoth(w.places, i, js, keys)
}

// screened compares places[:split] with places[split:], or all with each other if nothing follows split.
func (w *exactWorker) screened(split int) (leaf.Count, error) {
	rows, columns := w.places[:split], w.places[split:]
	n := int64(len(rows)) * int64(len(columns))
	if len(columns) == 0 {
		columns = rows
		n = int64(split) * int64(split-1) / 2
	}
	w.self = len(w.places) == split
	for some := range slices.Chunk(columns, w.wide) {
		if err := w.screenedWith(rows, some); err != nil {
			return leaf.Count{}, err
		}
	}
	return leaf.Count{Requested: n, Evaluated: n}, nil
}

// screenedWith compares rows with columns. Pairs that may be near are compared by their
// keys.
func (w *exactWorker) screenedWith(rows, columns []uint32) error {
	allClosed := w.close(columns, rows[0])
	w.screen.Columns(columns, w.boundsOf(columns), rows)
	for first := 0; first < len(rows); first += screen.BandRows {
		band := rows[first:min(first+screen.BandRows, len(rows))]
		if allClosed && w.allAre(band, columns[0]) {
			continue
		}
		w.screen.Rows(band)
		for r, x := range band {
			if prime, ok := w.screen.(screen.Primer); ok && w.self && math.IsInf(float64(w.bound(x)), 1) {
				if err := w.offer(x, columns, prime.Prime(r), nil); err != nil {
					return err
				}
			}
			near, keys := w.screen.Near(r, w.bound(x))
			if w.isClosed(x, columns[0]) {
				near, keys = w.open(near, keys)
			}
			if keys == nil {
				near = w.settled(x, columns, near)
			}
			if err := w.offer(x, columns, near, keys); err != nil {
				return err
			}
		}
	}
	return nil
}

// bound returns the key above which nothing enters the list of a place, or nothing stays in it.
func (w *exactWorker) bound(place uint32) float32 {
	return min(w.Lists.Worst(place), w.bounds.Key(place))
}

// boundsOf returns the bounds of columns; nil if columns are the rows themselves, which search for near rows
// in their own turn.
func (w *exactWorker) boundsOf(columns []uint32) []float32 {
	if w.self {
		return nil
	}
	w.worst = w.worst[:0]
	for _, y := range columns {
		w.worst = append(w.worst, w.bound(y))
	}
	return w.worst
}

// isClosed reports whether the list of x is full of rows equal to it that all come before place first: no row
// from there on can enter. If a row repeats thousands of times, nearly all pairs are of such rows, and all of
// them tie. Equal rows have equal codes, and are in the order of their rows; others with key 0 need not be.
func (w *exactWorker) isClosed(x, first uint32) bool {
	return w.Lists.Worst(x) == 0 && w.Lists.Last(x) < first &&
		w.Space.Metric().Squares() && !w.KeysVanish()
}

func (w *exactWorker) allAre(places []uint32, first uint32) bool {
	for _, x := range places {
		if !w.isClosed(x, first) {
			return false
		}
	}
	return true
}

// close records which columns are closed to places from first on, and returns whether all are.
func (w *exactWorker) close(columns []uint32, first uint32) bool {
	w.closed = w.closed[:0]
	all := true
	for _, y := range columns {
		w.closed = append(w.closed, w.isClosed(y, first))
		all = all && w.closed[len(w.closed)-1]
	}
	return all
}

// open returns the columns that are not closed.
func (w *exactWorker) open(near []uint32, keys []float32) ([]uint32, []float32) {
	w.near = slices.Grow(w.near[:0], len(near))[:len(near)]
	n := 0
	for i, j := range near {
		if w.closed[j] {
			continue
		}
		if keys != nil {
			keys[n] = keys[i]
		}
		w.near[n] = j
		n++
	}
	if keys != nil {
		keys = keys[:n]
	}
	return w.near[:n], keys
}

// offer offers the columns numbered near to x, and x to them.
func (w *exactWorker) offer(x uint32, columns, near []uint32, keys []float32) error {
	w.ids = w.ids[:0]
	for _, j := range near {
		w.ids = append(w.ids, columns[j])
	}
	if keys == nil {
		w.keys = append(w.keys[:0], make([]float32, len(near))...)
		keys = w.keys
		if _, err := w.solver.Keys(x, w.ids, keys); err != nil {
			return err
		}
	}
	for i, y := range w.ids {
		if y == x {
			continue
		}
		if keys[i] <= w.bound(x) {
			w.Lists.Offer(x, y, keys[i])
		}
		if keys[i] <= w.bound(y) && w.Lists.Offer(y, x, keys[i]) && !w.self {
			w.screen.Tighten(near[i], w.bound(y))
		}
	}
	return nil
}
