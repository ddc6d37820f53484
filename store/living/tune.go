package living

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/tuning"
	"github.com/knng/knng/store/living/internal/tail"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// Tune finds the least effort that reaches a recall, like search.Searcher.Tune, with live rows as queries,
// including rows put since the base was built. Each is held out. If rows were put or deleted,
// Tuned.Evaluations is 0: they are not counted. Cancelling ctx stops it. Errors: those of Search, ctx's.
func (v *View) Tune(ctx context.Context, o search.TuneOptions, threads int) (t search.Tuned, err error) {
	if !v.calls.Enter() {
		return t, ErrClosed
	}
	defer v.calls.Leave()
	if b := v.st.base; b != nil && v.snap.liveBase == b.count && v.snap.part.Len() == 0 {
		return b.s.Tune(ctx, o)
	}
	wanted, err := tuning.Options(o).WithDefaults()
	if err != nil {
		return t, fmt.Errorf("%w: %w", search.ErrQuery, err)
	}
	h := heldOut{v: v, ctx: ctx, threads: max(1, threads), k: wanted.K}
	if h.draw(2*wanted.Sample, wanted.Seed); len(h.refs) < 2 {
		return search.Tuned{Effort: wanted.K, Reached: true, Recall: 1, PerQuery: []float64{}}, nil
	}
	if h.truth, err = h.search(0, len(h.refs), Query{K: wanted.K, Exact: true}); err != nil {
		return t, err
	}
	found, err := wanted.Find(v.Len(), len(h.refs), h.recalls)
	return search.Tuned{Effort: found.Effort, Reached: found.Reached, Recall: found.Recall, PerQuery: found.PerQuery}, err
}

// heldOut are live rows as queries; each is hidden from its own query.
type heldOut struct {
	v       *View
	ctx     context.Context
	threads int
	k       int
	refs    []uint32
	truth   [][]store.Neighbor
}

// draw draws n of the live rows, or all, in any order.
func (h *heldOut) draw(n int, seed uint64) {
	rng, seen := rand.New(rand.NewPCG(seed, 0x68656c64)), 0
	h.v.st.each(h.v.snap, func(_ uint64, p, at uint32) bool {
		ref := p
		if at != tail.NoRow {
			ref = h.v.st.positions() + at
		}
		if seen++; len(h.refs) < n {
			h.refs = append(h.refs, ref)
		} else if i := rng.IntN(seen); i < n {
			h.refs[i] = ref
		}
		return true
	})
	rng.Shuffle(len(h.refs), func(i, j int) { h.refs[i], h.refs[j] = h.refs[j], h.refs[i] })
}

// search answers the queries of some refs.
func (h *heldOut) search(from, to int, q Query) ([][]store.Neighbor, error) {
	found := make([][]store.Neighbor, to-from)
	err := vectors.Ranges(h.threads, len(found), 16, func() func(first, last int) error {
		var query []float32
		return func(first, last int) (err error) {
			for i := first; i < last; i++ {
				if err := h.ctx.Err(); err != nil {
					return err
				}
				ref := h.refs[from+i]
				if query, err = h.v.vectorOf(ref, query); err != nil {
					return err
				}
				if found[i], err = h.v.searchWithout(query, q, ref); err != nil {
					return err
				}
			}
			return nil
		}
	})
	return found, err
}

// recalls returns their recalls with an effort.
func (h *heldOut) recalls(from, to, effort int) ([]float64, error) {
	found, err := h.search(from, to, Query{K: h.k, Effort: effort})
	if err != nil {
		return nil, err
	}
	per := make([]float64, len(found))
	for i := range found {
		per[i] = search.Recall(found[i], h.truth[from+i])
	}
	return per, nil
}
