package builder

import (
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/cache"
	"github.com/knng/knng/store"
)

// pairCache knows pairs computed before.
type pairCache struct {
	pairs   *cache.Pairs  // nil: no pair-with-distance cache
	keyCost time.Duration // measured, of one evaluation
}

// Forms of the computed-pair cache, as Result.PairCache names them.
const (
	noCache    = "off"
	leafCache  = "shared-leaf"
	pairsCache = "pairs"
)

// cachedFrom is the cost of a distance from which skipping a pair inside a leaf
// gains more than it costs in broken-up kernel calls.
const cachedFrom = 40 * time.Nanosecond

// pairsFrom is the cost of a user's distance from which pairs are kept with
// their keys: a lookup of one costs some microseconds, keeping one as much.
const pairsFrom = 20 * time.Microsecond

// chooseCache picks the form of the computed-pair cache from the measured cost
// of the distance. The choice never changes the graph, so it may rest on a
// clock and may differ from run to run.
func (r *run) chooseCache() (err error) {
	if r.pairs != nil { // of a method before
		return nil
	}
	if r.opts.Distance != nil {
		return r.chooseForOwn()
	}
	if r.keyCost, err = r.costOfKernel(); err != nil {
		return err
	}
	r.Skip = r.opts.PairCache == On || r.opts.PairCache == Default && r.keyCost >= cachedFrom
	return nil
}

// chooseForOwn measures a user's distance on a few pairs, once in the life of a
// build, and keeps their keys: no pair is paid for twice.
func (r *run) chooseForOwn() error {
	known, err := r.Draft.Load("distance-cost", &r.keyCost)
	if err != nil {
		return err
	}
	ids := make([]uint32, min(r.N()-1, 3))
	for i := range ids {
		ids[i] = uint32(i + 1)
	}
	found := make([]float32, len(ids))
	if !known {
		began := time.Now()
		if _, err := r.ownKeys()(0, ids, found); err != nil {
			return err
		}
		r.keyCost = time.Since(began) / time.Duration(len(ids))
	}
	if r.opts.PairCache == Off || r.opts.PairCache == Default && r.keyCost < pairsFrom {
		return nil
	}
	r.Skip = true
	if err := r.openPairs(); err != nil || known {
		return err
	}
	rows := make([]uint64, len(ids))
	for i, id := range ids {
		rows[i] = uint64(r.Order[id])
	}
	if err := r.pairs.Add(uint64(r.Order[0]), rows, found); err != nil {
		return err
	}
	return r.Draft.Record("distance-cost", r.keyCost)
}

func (r *run) openPairs() error {
	scratch, err := r.Draft.ScratchDir()
	if err != nil {
		return err
	}
	d := r.opts.Distance
	r.pairs, err = cache.OpenPairs(filepath.Join(scratch, job.PairFiles), d.Name, d.Version, 16<<20)
	return err
}

// cacheForm names the form in use.
func (r *run) cacheForm() string {
	switch {
	case r.pairs != nil:
		return pairsCache
	case r.Skip:
		return leafCache
	}
	return noCache
}

// costOfKernel times the metric's kernels on a few hundred pairs.
func (r *run) costOfKernel() (time.Duration, error) {
	ids := make([]uint32, min(r.N()-1, 256))
	for i := range ids {
		ids[i] = uint32(i + 1)
	}
	out := make([]float32, len(ids))
	keys := r.KernelKeys()
	best := time.Duration(math.MaxInt64)
	for range 5 {
		began := time.Now()
		if _, err := keys(0, ids, out); err != nil {
			return 0, err
		}
		best = min(best, time.Since(began))
	}
	return best / time.Duration(len(ids)), nil
}

// cachedKeys returns one worker's way to keys of the user's own distance, through the
// pair cache where there is one.
func (r *run) cachedKeys() leaf.Keys {
	if r.pairs == nil {
		return r.ownKeys()
	}
	return r.pairs.Keys(r.Order, r.keyCost, r.ownKeys())
}

// ownKeys computes every key asked for under the user's own distance. One may take any
// time: between two of them the build stops.
func (r *run) ownKeys() leaf.Keys {
	f := r.opts.Distance
	return func(x uint32, ids []uint32, out []float32) (int, error) {
		for i, id := range ids {
			if err := r.Ctx.Err(); err != nil {
				return i, err
			}
			a, b := store.Row(r.Order[x]), store.Row(r.Order[id])
			key, err := f.Key(min(a, b), max(a, b))
			if err == nil && (math.IsNaN(float64(key)) || math.IsInf(float64(key), 0)) {
				err = fmt.Errorf("value %v, want a finite number", key)
			}
			if err != nil {
				return i, fmt.Errorf("distance %s of rows %d and %d: %w", f.Name, a, b, err)
			}
			out[i] = key
		}
		return len(ids), nil
	}
}
