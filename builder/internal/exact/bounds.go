package exact

import (
	"slices"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/vectors"
)

// Comparing all rows by their codes is cheap. Not cheap are the keys of all pairs that codes do not exclude,
// and candidates that enter a list only to leave it again, while lists hold the chance finds of the first
// blocks. So one division into balls goes first: the k nearest rows that a row met in it bound its list. No
// other pairs are left out, and the lists are the same.

// boundLists sets the bounds, if codes order rows and there are pairs to compare.
func (m *Method) boundLists() error {
	if !m.Space.Metric().Coded() || m.State.Count(job.ListsStage) > 0 || m.State.Count(job.ExactStage) == m.stages() || m.N() < fixed.BoundLeaves*m.Set.LeafSize {
		return nil
	}
	if err := m.HaveCodes(); err != nil || m.Codes == nil {
		return err
	}
	if err := m.bounds.Take(&m.Ledger, m.N()); err != nil {
		return err
	}
	if !m.CodesDivide() {
		return m.boundByLongest()
	}
	b := m.Balls(m.Codes, job.Overlap)
	found := candidates.New(m.N(), m.K, m.Job.Threads)
	defer found.Free()
	solver := &leaves.Balls{Ctx: m.Ctx, Codes: m.Codes, Found: found, Ordered: !m.Set.Reference}
	p := m.Begin("bounds", "rows", solver.Work(b, 1))
	defer p.End("")
	solver.Progress = p.Add
	if _, err := solver.Solve(b, 1); err != nil { // number 0 made the order
		return err
	}
	return vectors.Ranges(m.Job.Threads, m.N(), 1024, func() func(from, to int) error {
		w := points.NewRanker(&m.Points, found)
		return func(from, to int) error {
			for place := uint32(from); place < uint32(to); place++ {
				_, keys, err := w.List(place)
				if err != nil {
					return err
				}
				if len(keys) == m.K {
					m.bounds.Set(place, keys[m.K-1])
				}
			}
			return m.Ctx.Err()
		}
	})
}

// boundByLongest sets the bounds if products with the longest rows are the largest: each row is compared with
// the longest rows, as many as a screen has columns.
func (m *Method) boundByLongest() error {
	p := m.Begin("bounds", "rows", int64(m.N()))
	defer p.End("")
	screens, err := m.Screens()
	if err != nil {
		return err
	}
	longest := m.Longest(m.ScreenColumns())
	return vectors.Ranges(m.Job.Threads, m.N(), 1024, func() func(from, to int) error {
		w := m.exactWorker(screens)
		w.screen.Columns(longest, nil, nil)
		return func(from, to int) error {
			w.places = w.places[:0]
			for place := from; place < to; place++ {
				w.places = append(w.places, uint32(place))
			}
			for band := range slices.Chunk(w.places, screen.BandRows) {
				if err := w.boundBand(band, longest); err != nil {
					return err
				}
			}
			p.Add(to - from)
			return m.Ctx.Err()
		}
	})
}

// boundBand sets the bounds of some places by the near ones of the columns.
func (w *exactWorker) boundBand(band, columns []uint32) error {
	w.screen.Rows(band)
	for i, x := range band {
		w.ids = w.ids[:0]
		for _, j := range w.screen.(screen.Primer).Prime(i) {
			if columns[j] != x {
				w.ids = append(w.ids, columns[j])
			}
		}
		if len(w.ids) < w.K {
			continue
		}
		w.keys = slices.Grow(w.keys[:0], len(w.ids))[:len(w.ids)]
		if _, err := w.solver.Keys(x, w.ids, w.keys); err != nil {
			return err
		}
		slices.Sort(w.keys)
		w.bounds.Set(x, w.keys[w.K-1])
	}
	return nil
}
