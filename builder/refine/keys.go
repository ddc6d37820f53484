package refine

import (
	"fmt"
	"math"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/propagation"
	"github.com/knng/knng/cache"
	"github.com/knng/knng/store"
)

// keys returns one goroutine's way to keys between places, through the pair
// cache where there is one.
func (r *run) keys() propagation.Keys {
	if r.pairs == nil {
		return r.evaluator()
	}
	return r.pairs.Keys(r.order, r.keyCost, r.evaluator())
}

// evaluator computes every key asked for.
func (r *run) evaluator() propagation.Keys {
	switch d := r.opts.Distance; {
	case d == nil:
		return r.metricKeys
	case d.Key != nil:
		return r.rowKeys
	default:
		return (&listKeys{run: r, compare: d.Lists(), from: r.given.reader(), to: r.given.reader()}).keys
	}
}

func (r *run) metricKeys(x uint32, ids []uint32, out []float32) (int, error) {
	var norm float64
	if r.norms != nil {
		norm = r.norms[x]
	}
	r.space.Keys(r.rows.Row(int(x)), norm, r.rows.Base(), r.rows.Stride(), r.norms, ids, out)
	return len(ids), nil
}

// rowKeys asks a function of rows.
func (r *run) rowKeys(x uint32, ids []uint32, out []float32) (int, error) {
	for i, id := range ids {
		a, b := store.Row(r.order[x]), store.Row(r.order[id])
		key, err := r.opts.Distance.Key(min(a, b), max(a, b))
		if out[i], err = key, r.checked(key, err, a, b); err != nil {
			return i, err
		}
	}
	return len(ids), nil
}

// listKeys asks a function of lists.
type listKeys struct {
	*run
	compare  func(a, b List) (float32, error)
	from, to *listReader
}

func (l *listKeys) keys(x uint32, ids []uint32, out []float32) (int, error) {
	a := l.list(l.from, x)
	for i, id := range ids {
		b := l.list(l.to, id)
		key, err := l.compare(a, b)
		if out[i], err = key, l.checked(key, err, store.Row(a.Row), store.Row(b.Row)); err != nil {
			return i, err
		}
	}
	return len(ids), nil
}

func (l *listKeys) list(r *listReader, place uint32) List {
	neighbors, keys := r.List(place)
	return List{Row: l.order[place], Neighbors: neighbors, Keys: keys}
}

// checked adds to an error which distance and rows it is of, and makes one of a
// key that orders nothing.
func (r *run) checked(key float32, err error, a, b store.Row) error {
	if err == nil && (math.IsNaN(float64(key)) || math.IsInf(float64(key), 0)) {
		err = fmt.Errorf("value %v, want a finite number", key)
	}
	if err != nil {
		return fmt.Errorf("refine: distance %s of rows %d and %d: %w", r.opts.Distance.Name, a, b, err)
	}
	return nil
}

// pairsFrom is the cost of a distance from which computed pairs are kept: to
// look one up costs some microseconds, to keep it as much.
const pairsFrom = 20 * time.Microsecond

// openPairs opens the cache of computed pairs where it is worth it, or where an
// earlier run did. The decision changes no graph, so it may rest on a clock.
func (r *run) openPairs() error {
	if r.opts.PairCache == builder.Off || r.k == 0 || r.opts.PairCache == builder.Default && !r.own() {
		return nil
	}
	known, err := r.draft.Load("distance-cost", &r.keyCost)
	var found []float32
	if err == nil && !known {
		found, err = r.timeKeys()
	}
	if err != nil || r.opts.PairCache == builder.Default && r.keyCost < pairsFrom {
		return err
	}
	path, err := r.scratch("pairs")
	if err != nil {
		return err
	}
	name, version := r.pairsName()
	if r.pairs, err = cache.OpenPairs(path, name, version, 16<<20); err != nil || known {
		return err
	}
	return r.keep(found)
}

// pairsName names the function from pairs of rows to keys: a distance over lists
// or vectors is another one for other lists or vectors.
func (r *run) pairsName() (name string, version int) {
	switch d := r.opts.Distance; {
	case d == nil:
		return fmt.Sprintf("%s of rows %s", r.opts.Metric, r.checksum), 1
	case d.Key != nil:
		return d.Name, d.Version
	default:
		return fmt.Sprintf("%s over lists %s", d.Name, r.g1.Info().Checksum), d.Version
	}
}

// A distance is timed on so many pairs, and on more until it is warm: the first
// calls of a cheap one cost a hundred times as much as later ones.
const (
	timed = 3
	warm  = time.Millisecond
)

// timeKeys measures the cost of a key, once in the life of a refinement: the least
// that any took between place 0 and those after it, each asked for once. It returns
// these keys.
func (r *run) timeKeys() (found []float32, err error) {
	keys, began := r.evaluator(), time.Now()
	r.keyCost = math.MaxInt64
	for p := 1; p < r.n() && (p <= timed || time.Since(began) < warm); p++ {
		var key [1]float32
		once := time.Now()
		if _, err := keys(0, []uint32{uint32(p)}, key[:]); err != nil {
			return nil, err
		}
		r.keyCost = min(r.keyCost, time.Since(once))
		found = append(found, key[0])
	}
	return found, nil
}

// keep adds the keys that timing found to the pairs: none is paid for twice.
func (r *run) keep(found []float32) error {
	rows := make([]uint64, len(found))
	for i := range rows {
		rows[i] = uint64(r.order[i+1])
	}
	if err := r.pairs.Add(uint64(r.order[0]), rows, found); err != nil {
		return err
	}
	return r.draft.Record("distance-cost", r.keyCost)
}
