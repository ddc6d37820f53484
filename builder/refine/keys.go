package refine

import (
	"fmt"
	"math"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/pairs"
	"github.com/knng/knng/builder/internal/propagation"
	"github.com/knng/knng/cache"
	"github.com/knng/knng/store"
)

// keys returns one goroutine's way to keys between places, through the pair
// cache where there is one.
func (r *run) keys() propagation.Keys {
	if r.pairs == nil {
		return r.evaluator()
	}
	return r.pairs.Keys(r.Order, r.keyCost, r.evaluator())
}

// evaluator computes every key asked for.
func (r *run) evaluator() propagation.Keys {
	switch d := r.opts.Distance; {
	case d == nil:
		return propagation.Keys(r.KernelKeys())
	case d.Key != nil:
		own := &pairs.Distance{Name: d.Name, Version: d.Version, Key: d.Key}
		return propagation.Keys(own.Keys(r.Ctx, r.Order))
	default:
		return (&listKeys{run: r, compare: d.Lists(), from: r.given.reader(), to: r.given.reader()}).keys
	}
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
		if out[i], err = key, pairs.Checked(l.opts.Distance.Name, key, err, store.Row(a.Row), store.Row(b.Row)); err != nil {
			return i, err
		}
	}
	return len(ids), nil
}

func (l *listKeys) list(r *listReader, place uint32) List {
	neighbors, keys := r.List(place)
	return List{Row: l.Order[place], Neighbors: neighbors, Keys: keys}
}

// openPairs opens the cache of computed pairs where it is worth it, or where an
// earlier run did. The decision changes no graph, so it may rest on a clock.
func (r *run) openPairs() error {
	if r.opts.PairCache == builder.Off || r.K == 0 || r.opts.PairCache == builder.Default && !r.own() {
		return nil
	}
	known, err := r.Draft.Load("distance-cost", &r.keyCost)
	var found []float32
	if err == nil && !known {
		found, err = r.timeKeys()
	}
	if err != nil || r.opts.PairCache == builder.Default && r.keyCost < pairs.KeptFrom {
		return err
	}
	path, err := r.scratch("pairs")
	if err != nil {
		return err
	}
	name, version := r.pairsName()
	if r.pairs, err = cache.OpenPairs(path, name, version, pairs.CacheBytes); err != nil || known {
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
	for p := 1; p < r.N() && (p <= timed || time.Since(began) < warm); p++ {
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
		rows[i] = uint64(r.Order[i+1])
	}
	if err := r.pairs.Add(uint64(r.Order[0]), rows, found); err != nil {
		return err
	}
	return r.Draft.Record("distance-cost", r.keyCost)
}
