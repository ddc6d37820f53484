package postings

import (
	"fmt"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis"
)

// finish writes the lists in input order and seals the store.
func (r *run) finish() (*builder.Result, error) {
	if err := r.adjacency(); err != nil {
		return nil, err
	}
	res, err := r.report()
	if err != nil {
		return nil, err
	}
	p := r.Begin("checksum", "", 0)
	if res.Checksum, err = r.Draft.Checksum(r.Ctx); err != nil {
		return nil, err
	}
	p.End("")
	p = r.Begin("seal", "", 0)
	if err := r.Save(); err != nil {
		return nil, err
	}
	u := r.State.Usage
	res.Seconds, res.CPUSeconds, res.Phases = u.Seconds, u.CPUSeconds, r.State.Phases
	res.PeakAnonBytes, res.PeakRSSBytes, res.PeakDiskBytes = u.PeakAnon, u.PeakRSS, u.PeakDisk
	res.ReadBytes, res.WrittenBytes = u.ReadBytes, u.Written
	err = r.Draft.Seal(r.Ctx, res)
	p.End("")
	return res, err
}

// adjacency writes the lists of all rows: units come in order of places, and places are
// ascending rows.
func (r *run) adjacency() error {
	if _, done, err := r.Draft.Adjacency(); done || err != nil {
		return err
	}
	p := r.Begin("adjacency", "rows", int64(r.outputs))
	defer p.End("")
	return r.Draft.CommitAdjacency(r.k, func(add func([]uint32, []float32) error) error {
		next := 0
		isolated := func(to int) error {
			for ; next < to; next++ {
				if err := add(nil, nil); err != nil {
					return err
				}
			}
			return nil
		}
		err := r.lists(func(place int, neighbors []uint32, keys []float32) error {
			for i, y := range neighbors {
				neighbors[i] = r.order[y]
			}
			if err := isolated(int(r.order[place])); err != nil {
				return err
			}
			next++
			p.Add(1)
			return add(neighbors, keys)
		})
		if err != nil {
			return err
		}
		return isolated(r.outputs)
	})
}

// lists calls fn with the list of every place, in order; fn may change it.
func (r *run) lists(fn func(place int, neighbors []uint32, keys []float32) error) error {
	if r.k == 0 {
		return nil
	}
	place := 0
	err := r.Draft.Replay(1, func(_ uint32, l *store.Lists) error {
		if err := r.Ctx.Err(); err != nil {
			return err
		}
		for i, p := range l.Rows {
			neighbors, keys := l.Neighbors[l.Starts[i]:l.Starts[i+1]], l.Keys[l.Starts[i]:l.Starts[i+1]]
			if int(p) != place || place >= len(r.order) {
				return fmt.Errorf("%w: list of place %d, want %d of %d", store.ErrCorrupt, p, place, len(r.order))
			}
			for _, y := range neighbors {
				if int(y) >= len(r.order) {
					return fmt.Errorf("%w: place %d in a list, want below %d", store.ErrCorrupt, y, len(r.order))
				}
			}
			if err := fn(place, neighbors, keys); err != nil {
				return err
			}
			place++
		}
		return nil
	})
	if err == nil && place != len(r.order) {
		err = fmt.Errorf("%w: lists of %d places, want %d", store.ErrCorrupt, place, len(r.order))
	}
	return err
}

// report makes the result from the state.
func (r *run) report() (*builder.Result, error) {
	sum := r.State.Sums()
	res := &builder.Result{
		Rows: r.outputs, Dim: r.rows.Columns(), Type: store.SparseType, K: r.k, Metric: r.opts.Metric.String(), Method: builder.Exact, Seed: r.opts.Seed,
		RequestedPairs: sum.Requested, Comparisons: sum.Evaluated, ScanRate: sum.ScanRate(len(r.order)), EffectiveRates: []float64{}, PairCache: "off",
		Resumed: r.State.Runs - 1, Stop: r.State.Stop, BadRows: len(r.audit.Rows), Kernel: "postings", Threads: r.opts.Threads,
		Recall: recall.EstimateOf(nil, 0, r.opts.Seed),
	}
	var err error
	res.Components = analysis.Components(len(r.order), func(yield func(a, b uint32)) {
		err = r.lists(func(place int, neighbors []uint32, _ []float32) error {
			for _, y := range neighbors {
				yield(uint32(place), y)
			}
			return nil
		})
	})
	return res, err
}
