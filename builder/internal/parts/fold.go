package parts

import (
	"encoding/json"
	"fmt"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/store"
)

// fold merges the finished divisions into one list per place, so that the disk never holds more than one
// division and twice the lists. The last division is not folded: its units become the graph.
func (m *Method) fold() error {
	if !m.foldDue() {
		return nil
	}
	m.releaseGroups()
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
		return m.EachStripe(func(s *solve.Stripe) error {
			for from := s.From; from < s.To; from += m.stripePlaces() {
				batch.Reset()
				for place := from; place < min(from+m.stripePlaces(), s.To); place++ {
					ids, keys := s.List(place)
					batch.Append(uint32(place), ids, keys)
				}
				m.bound(&batch)
				if err := add(&batch); err != nil {
					return err
				}
			}
			p.Add(s.To - s.From)
			return nil
		})
	})
	if err != nil {
		return err
	}
	m.folded = uint32(len(m.State.Stages))
	return nil
}

func (m *Method) foldDue() bool { return int(m.folded) < len(m.State.Stages) }

// loadFolded loads the latest folded lists.
func (m *Method) loadFolded() error {
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

// bound sets the bounds from a batch of folded lists.
func (m *Method) bound(l *store.Lists) {
	for i, place := range l.Rows {
		if from, to := l.Starts[i], l.Starts[i+1]; int(to-from) == m.K {
			m.bounds.Set(place, l.Keys[to-1])
		}
	}
}

// foldedNotes is the name of the record of the notes of the folded divisions.
const foldedNotes = "steered"

// foldNotes records the sums of the notes of the finished divisions.
func (m *Method) foldNotes() error {
	if m.Steer == nil {
		return nil
	}
	s, err := m.noted()
	if err != nil {
		return err
	}
	defer s.Free()
	return m.Draft.Record(foldedNotes, s.Notes(m.Steer.Places))
}

// steered returns the recall of the steering rows' lists so far, and its standard error.
func (m *Method) steered() (mean, standardError float64, err error) {
	s, err := m.noted()
	if err != nil {
		return 0, 0, err
	}
	defer s.Free()
	mean, standardError = s.Recall(m.Steer)
	return mean, standardError, nil
}

// noted returns the steering rows' lists so far, which the caller frees.
func (m *Method) noted() (*solve.Steered, error) {
	s := solve.NewSteered(m.Steer.Places, m.K)
	if err := m.gather(s); err != nil {
		s.Free()
		return nil, err
	}
	return s, nil
}

// gather merges the notes of all divisions. Those of one division may occur twice: in the record, and in
// units that a fold did not drop because of a crash.
func (m *Method) gather(s *solve.Steered) error {
	var folded []solve.Noted
	if _, err := m.Draft.Load(foldedNotes, &folded); err != nil {
		return err
	}
	if err := s.Offer(folded); err != nil {
		return err
	}
	for stage := m.folded + 1; stage <= m.StageNumber(); stage++ {
		err := m.Draft.Units(stage, func(_ uint32, note []byte) error {
			var n solve.Note
			if err := json.Unmarshal(note, &n); err != nil {
				return fmt.Errorf("%w: unit note: %w", store.ErrCorrupt, err)
			}
			return s.Offer(n.Steered)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
