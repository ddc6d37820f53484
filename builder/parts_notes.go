package builder

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/store"
)

// The parts method has no lists at hand to measure recall on. Every group notes those
// that it found for the rows that steer when it is committed, and a fold keeps the
// union of the notes that it drops.

// groupNote is the note that a group is committed with.
type groupNote struct {
	job.Counts
	Steered []noted `json:"s,omitempty"`
}

// noted is the list that a group has for a row that steers.
type noted struct {
	Place     uint32    `json:"p"`
	Neighbors []uint32  `json:"n"` // places
	Keys      []float32 `json:"k"`
}

// foldedNotes names the record of the notes of the divisions that are folded.
const foldedNotes = "steered"

// steeredIn notes the lists that a group of places has for the rows that steer.
func steeredIn(places []uint32, of *union.Lists, steer *recall.Lists) (lists []noted) {
	if steer == nil {
		return nil
	}
	for _, place := range steer.Places {
		i, here := slices.BinarySearch(places, place)
		if !here {
			continue
		}
		near, keys := of.List(uint32(i))
		l := noted{Place: place, Keys: slices.Clone(keys)}
		for _, id := range near {
			l.Neighbors = append(l.Neighbors, places[id])
		}
		lists = append(lists, l)
	}
	return lists
}

// steered is the lists of the rows that steer, as far as divisions have found them.
type steered struct {
	number map[uint32]uint32 // of a place, among those that steer
	lists  *union.Lists      // to be freed
}

func newSteered(places []uint32, k int) *steered {
	s := &steered{number: make(map[uint32]uint32, len(places)), lists: union.New(len(places), k, nil)}
	for i, place := range places {
		s.number[place] = uint32(i)
	}
	return s
}

func (m *partsMethod) steered() (*steered, error) {
	s := newSteered(m.Steer.Places, m.K)
	if err := s.gather(m); err != nil {
		s.lists.Free()
		return nil, err
	}
	return s, nil
}

// gather unites the notes of all divisions. Those of one may be met twice: in the
// record, and in units that a crash kept a fold from dropping.
func (s *steered) gather(r *partsMethod) error {
	var folded []noted
	if _, err := r.Draft.Load(foldedNotes, &folded); err != nil {
		return err
	}
	if err := s.offer(folded); err != nil {
		return err
	}
	for stage := r.folded + 1; stage <= r.StageNumber(); stage++ {
		err := r.Draft.Units(stage, func(_ uint32, note []byte) error {
			var n groupNote
			if err := json.Unmarshal(note, &n); err != nil {
				return fmt.Errorf("%w: unit note: %w", store.ErrCorrupt, err)
			}
			return s.offer(n.Steered)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *steered) offer(lists []noted) error {
	for _, l := range lists {
		i, known := s.number[l.Place]
		if !known {
			return errOtherSteering
		}
		if len(l.Keys) != len(l.Neighbors) {
			return fmt.Errorf("%w: note of place %d", store.ErrCorrupt, l.Place)
		}
		for j, id := range l.Neighbors {
			s.lists.Offer(i, id, l.Keys[j])
		}
	}
	return nil
}

// foldNotes records the sums of the notes of the finished divisions.
func (m *partsMethod) foldNotes() error {
	if m.Steer == nil {
		return nil
	}
	s, err := m.steered()
	if err != nil {
		return err
	}
	defer s.lists.Free()
	return m.Draft.Record(foldedNotes, s.notes(m.Steer.Places))
}

// notes are the lists of the rows that steer.
func (s *steered) notes(places []uint32) (notes []noted) {
	for i, place := range places {
		ids, keys := s.lists.List(uint32(i))
		notes = append(notes, noted{place, ids, keys})
	}
	return notes
}

// recall is the recall of these lists, and its standard error.
func (s *steered) recall(truth *recall.Lists) (mean, standardError float64) {
	return build.MeanOf(build.PerRow(truth, func(place uint32) ([]uint32, []float32) { return s.lists.List(s.number[place]) }))
}

// steeredParts is the recall of the steering rows' lists so far, and its standard
// error.
func (m *partsMethod) steeredParts() (mean, standardError float64, err error) {
	s, err := m.steered()
	if err != nil {
		return 0, 0, err
	}
	defer s.lists.Free()
	mean, standardError = s.recall(m.Steer)
	return mean, standardError, nil
}
