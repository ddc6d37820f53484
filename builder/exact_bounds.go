package builder

import (
	"cmp"
	"slices"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/vectors"
)

// What is too far for the lists of the exact method. It compares all rows with all
// others by their codes, which is cheap; what costs is all that codes leave to keys, and
// what enters a list only to leave it again, while lists hold what the first blocks
// happened to have. So one division into balls goes first: the k nearest that a row met
// in it say what cannot be among its k nearest of all. Pairs are left out for no other
// reason, and the lists are the same.

// boundLists sets the bounds, where codes order rows and there are pairs to compare.
func (m *exactMethod) boundLists() error {
	if m.State.Count(job.ListsStage) > 0 || m.State.Count(job.ExactStage) == m.exactStages() || m.n() < plan.BoundLeaves*m.opts.LeafSize {
		return nil
	}
	if err := m.haveCodes(); err != nil || m.codes == nil {
		return err
	}
	if err := m.bounds.take(&m.Ledger, m.n()); err != nil {
		return err
	}
	if !m.codesDivide() {
		return m.boundByLongest()
	}
	b := m.balls(m.codes, job.Overlap)
	p := m.Begin("bounds", "rows", int64(m.n())*int64(b.Overlap))
	defer p.End("")
	found := candidates.New(m.n(), m.k, m.opts.Threads)
	defer found.Free()
	leaves := &ballLeaves{ctx: m.Ctx, codes: m.codes, found: found, ordered: !m.opts.Reference, progress: p.Add}
	if _, err := leaves.solve(b, 1); err != nil { // 0 made the order
		return err
	}
	return vectors.Ranges(m.opts.Threads, m.n(), 1024, func() func(from, to int) error {
		w := newReranker(&m.points, found)
		return func(from, to int) error {
			for place := uint32(from); place < uint32(to); place++ {
				_, keys, err := w.list(place)
				if err != nil {
					return err
				}
				if len(keys) == m.k {
					m.bounds.set(place, keys[m.k-1])
				}
			}
			return m.Ctx.Err()
		}
	})
}

// boundByLongest sets the bounds where products with the longest rows are the largest:
// each row is compared with as many of those as a screen has columns.
func (m *exactMethod) boundByLongest() error {
	p := m.Begin("bounds", "rows", int64(m.n()))
	defer p.End("")
	screens, err := m.screens()
	if err != nil {
		return err
	}
	longest := m.longest(m.screenColumns())
	return vectors.Ranges(m.opts.Threads, m.n(), 1024, func() func(from, to int) error {
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

// boundBand sets the bounds of some places by what is near of the columns.
func (w *exactWorker) boundBand(band, columns []uint32) error {
	w.screen.Rows(band)
	for i, x := range band {
		w.ids = w.ids[:0]
		for _, j := range w.screen.(screen.Primer).Prime(i) {
			if columns[j] != x {
				w.ids = append(w.ids, columns[j])
			}
		}
		if len(w.ids) < w.k {
			continue
		}
		w.keys = slices.Grow(w.keys[:0], len(w.ids))[:len(w.ids)]
		if _, err := w.solver.Keys(x, w.ids, w.keys); err != nil {
			return err
		}
		slices.Sort(w.keys)
		w.bounds.set(x, w.keys[w.k-1])
	}
	return nil
}

// longest are the places of some rows, none shorter than any other, ascending.
func (ps *points) longest(most int) []uint32 {
	lengths := make([]float64, ps.n())
	places := slices.Clone(ps.numbers(ps.n()))
	for i := range lengths {
		lengths[i] = ps.space.Norm(ps.rows.Row(i))
	}
	slices.SortFunc(places, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(lengths[b], lengths[a]), cmp.Compare(a, b))
	})
	places = places[:min(most, len(places))]
	slices.Sort(places)
	return places
}
