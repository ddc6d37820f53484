package pairs

import (
	"math"
	"path/filepath"
	"time"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/cache"
)

// Pairs are the computed pairs of a build.
type Pairs struct {
	own           *Distance // nil: the metric of the space
	always, never bool      // set by the user; neither: by measured times

	kept *cache.Pairs  // with their keys; nil: not kept
	cost time.Duration // of one evaluation, measured
}

// Forms of the computed-pair cache, as Result.PairCache names them.
const (
	NoCache    = "off"
	leafCache  = "shared-leaf"
	pairsCache = "pairs"
)

// skippedFrom is the cost of a distance from which skipping a pair inside a leaf
// gains more than it costs in broken-up kernel calls.
const skippedFrom = 40 * time.Nanosecond

// KeptFrom is the cost of a user's distance from which pairs are kept with their keys: looking up a key takes
// some microseconds, keeping one as much.
const KeptFrom = 20 * time.Microsecond

// CacheBytes is the memory of kept pairs that are not yet on disk.
const CacheBytes = 16 << 20

// New returns the pairs of a build, with none computed.
func New(own *Distance, always, never bool) *Pairs {
	return &Pairs{own: own, always: always, never: never}
}

// Close closes the files of kept pairs.
func (p *Pairs) Close() {
	if p.kept != nil {
		p.kept.Close()
	}
}

// Choose picks the form of the cache from the measured cost of the distance.
func (p *Pairs) Choose(b *build.Build) (err error) {
	if p.kept != nil { // by the previous method
		return nil
	}
	if p.own != nil {
		return p.chooseForOwn(b)
	}
	if p.cost, err = costOfKernel(b); err != nil {
		return err
	}
	b.Skip = p.pays(skippedFrom)
	return nil
}

// pays reports whether the cache is used, if it pays from this cost on.
func (p *Pairs) pays(from time.Duration) bool {
	return p.always || !p.never && p.cost >= from
}

// chooseForOwn measures a user's distance on a few pairs, once per build, and keeps their keys: no pair is
// computed twice.
func (p *Pairs) chooseForOwn(b *build.Build) error {
	known, err := b.Draft.Load("distance-cost", &p.cost)
	if err != nil {
		return err
	}
	ids := following(b.N(), 3)
	found := make([]float32, len(ids))
	if !known {
		began := time.Now()
		if _, err := p.own.Keys(b.Ctx, b.Order)(0, ids, found); err != nil {
			return err
		}
		p.cost = time.Since(began) / time.Duration(len(ids))
	}
	if !p.pays(KeptFrom) {
		return nil
	}
	b.Skip = true
	if err := p.open(b); err != nil || known {
		return err
	}
	rows := make([]uint64, len(ids))
	for i, id := range ids {
		rows[i] = uint64(b.Order[id])
	}
	if err := p.kept.Add(uint64(b.Order[0]), rows, found); err != nil {
		return err
	}
	return b.Draft.Record("distance-cost", p.cost)
}

func (p *Pairs) open(b *build.Build) error {
	scratch, err := b.Draft.ScratchDir()
	if err != nil {
		return err
	}
	p.kept, err = cache.OpenPairs(filepath.Join(scratch, job.PairFiles), p.own.Name, p.own.Version, CacheBytes)
	return err
}

// Form returns the name of the form in use; skip says whether leaves skip pairs.
func (p *Pairs) Form(skip bool) string {
	switch {
	case p.kept != nil:
		return pairsCache
	case skip:
		return leafCache
	}
	return NoCache
}

// costOfKernel times the metric's kernels on a few hundred pairs.
func costOfKernel(b *build.Build) (time.Duration, error) {
	ids := following(b.N(), 256)
	out := make([]float32, len(ids))
	keys := b.KernelKeys()
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

// following returns the places after the first of n, at most most.
func following(n, most int) []uint32 {
	ids := make([]uint32, min(n-1, most))
	for i := range ids {
		ids[i] = uint32(i + 1)
	}
	return ids
}

// Keys returns one goroutine's keys under the user's own distance, through the cache if there is one.
func (p *Pairs) Keys(b *build.Build) leaf.Keys {
	keys := p.own.Keys(b.Ctx, b.Order)
	if p.kept == nil {
		return keys
	}
	return p.kept.Keys(b.Order, p.cost, keys)
}
