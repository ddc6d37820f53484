package builder

import (
	"fmt"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/store"
)

// foldParts unites the finished divisions into one list a place, so that no more than
// those of one division and twice the lists are ever on disk. The last division is not
// folded: its units become the graph.
func (m *partsMethod) foldParts() error {
	if !m.foldDue() {
		return nil
	}
	m.dropGroups()
	if err := m.bounds.Take(&m.Ledger, m.N()); err != nil {
		return err
	}
	if err := m.foldNotes(); err != nil {
		return err
	}
	p := m.Begin("fold", "rows", int64(m.N()))
	defer p.End("")
	err := m.Draft.Fold(uint32(len(m.State.Stages)), func(add func(*store.Lists) error) error {
		most := min(m.stripePlaces(), m.N()) * m.K
		batch := store.Lists{Neighbors: make([]uint32, 0, most), Keys: make([]float32, 0, most)}
		defer func() { m.Written() }() // what the fold replaces is still there
		return m.eachStripe(func(s *stripe) error {
			batch.Reset()
			for place := s.from; place < s.to; place++ {
				ids, keys := s.list(place)
				batch.Append(uint32(place), ids, keys)
			}
			m.bound(&batch)
			p.Add(s.to - s.from)
			return add(&batch)
		})
	})
	if err != nil {
		return err
	}
	m.folded = uint32(len(m.State.Stages))
	return nil
}

func (m *partsMethod) foldDue() bool { return int(m.folded) < len(m.State.Stages) }

// loadFolded takes up the lists last folded.
func (m *partsMethod) loadFolded() error {
	stage, ok, err := m.Draft.Folded()
	if err != nil || !ok {
		return err
	}
	if int(stage) > len(m.State.Stages) {
		return fmt.Errorf("%w: lists of %d stages, the build records %d", store.ErrCorrupt, stage, len(m.State.Stages))
	}
	if err := m.bounds.Take(&m.Ledger, m.N()); err != nil {
		return err
	}
	p := m.Begin("load", "rows", int64(m.N()))
	defer p.End("")
	m.folded = stage
	return m.Draft.ReadFolded(func(l *store.Lists) error {
		for _, place := range l.Rows {
			if int(place) >= m.N() {
				return job.ErrPosition(place, m.N())
			}
		}
		m.bound(l)
		p.Add(len(l.Rows))
		return nil
	})
}

// bound sets the bounds that a batch of folded lists tells.
func (m *partsMethod) bound(l *store.Lists) {
	for i, place := range l.Rows {
		if from, to := l.Starts[i], l.Starts[i+1]; int(to-from) == m.K {
			m.bounds.Set(place, l.Keys[to-1])
		}
	}
}
