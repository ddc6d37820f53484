package refine

import (
	"fmt"
	"math"
	"os"
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
	return (&cachedKeys{run: r, evaluate: r.evaluator()}).keys
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
// earlier run did. What it decides changes no graph, so it may rest on a clock.
func (r *run) openPairs() error {
	if r.opts.PairCache == builder.Off || r.k == 0 || r.opts.PairCache == builder.Default && !r.own() {
		return nil
	}
	path, err := r.scratch("pairs")
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil && r.opts.PairCache == builder.Default {
		if cost, err := r.cost(); err != nil || cost < pairsFrom {
			return err
		}
	}
	name, version := r.pairsName()
	r.pairs, err = cache.OpenPairs(path, name, version, 16<<20)
	return err
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

// costTime is how long the cost of a distance is measured: the first calls of a
// cheap one cost a hundred times what the others do.
const costTime = time.Millisecond

// cost is the least time that a key took on a few pairs; a dear distance is
// asked for three.
func (r *run) cost() (time.Duration, error) {
	ids := make([]uint32, min(r.n()-1, 3))
	for i := range ids {
		ids[i] = uint32(i + 1)
	}
	keys, out := r.evaluator(), make([]float32, len(ids))
	least := time.Duration(math.MaxInt64)
	for began := time.Now(); time.Since(began) < costTime; {
		once := time.Now()
		if _, err := keys(0, ids, out); err != nil {
			return 0, err
		}
		least = min(least, time.Since(once))
	}
	return least / time.Duration(len(ids)), nil
}

// cachedKeys answers from the pair cache and evaluates the rest. A pair that two
// goroutines meet at the same moment may be evaluated by both.
type cachedKeys struct {
	*run
	evaluate propagation.Keys

	missing []uint32 // places whose keys are not known
	at      []int    // where these belong
	rows    []uint64
	found   []float32
}

// cachedBatch is how many pairs are evaluated between two additions: what an
// interruption loses at most.
const cachedBatch = 16

func (c *cachedKeys) keys(x uint32, ids []uint32, out []float32) (evaluated int, err error) {
	row := uint64(c.order[x])
	c.missing, c.at, c.rows = c.missing[:0], c.at[:0], c.rows[:0]
	for i, id := range ids {
		other := uint64(c.order[id])
		key, known, err := c.pairs.Find(row, other)
		if err != nil {
			return 0, err
		}
		if known {
			out[i] = key
			continue
		}
		c.missing, c.at, c.rows = append(c.missing, id), append(c.at, i), append(c.rows, other)
	}
	for from := 0; from < len(c.missing); from += cachedBatch {
		to := min(from+cachedBatch, len(c.missing))
		c.found = append(c.found[:0], make([]float32, to-from)...)
		n, err := c.evaluate(x, c.missing[from:to], c.found)
		evaluated += n
		if addErr := c.pairs.Add(row, c.rows[from:from+n], c.found[:n]); err == nil {
			err = addErr
		}
		if err != nil {
			return evaluated, err
		}
		for i, key := range c.found {
			out[c.at[from+i]] = key
		}
	}
	return evaluated, nil
}
