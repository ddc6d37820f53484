package solve

import (
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
)

// Note is the note that a group is committed with. Lists that are on disk cannot be asked for
// their recall, so every group notes the lists that it found for the rows that steer, and a fold
// keeps the union of the notes that it drops.
type Note struct {
	job.Counts
	Steered []Noted `json:"s,omitempty"`
}

// Noted is the list that a group has for a row that steers.
type Noted struct {
	Place     uint32    `json:"p"`
	Neighbors []uint32  `json:"n"` // places
	Keys      []float32 `json:"k"`
}

// steeredIn notes the lists that a group of places has for the rows that steer.
func steeredIn(places []uint32, of *knn.Lists, steer *recall.Lists) (lists []Noted) {
	if steer == nil {
		return nil
	}
	for _, place := range steer.Places {
		i, here := slices.BinarySearch(places, place)
		if !here {
			continue
		}
		near, keys := of.List(uint32(i))
		l := Noted{Place: place, Keys: slices.Clone(keys)}
		for _, id := range near {
			l.Neighbors = append(l.Neighbors, places[id])
		}
		lists = append(lists, l)
	}
	return lists
}

// Steered is the lists of the rows that steer, as far as divisions have found them.
type Steered struct {
	number map[uint32]uint32 // of a place, among those that steer
	lists  *knn.Lists        // to be freed
}

// NewSteered is empty lists of some places, to be freed.
func NewSteered(places []uint32, k int) *Steered {
	s := &Steered{number: make(map[uint32]uint32, len(places)), lists: knn.New(len(places), k, nil)}
	for i, place := range places {
		s.number[place] = uint32(i)
	}
	return s
}

// Free gives the memory back.
func (s *Steered) Free() { s.lists.Free() }

// Offer unites lists with those noted before. The same may come twice.
func (s *Steered) Offer(lists []Noted) error {
	for _, l := range lists {
		i, known := s.number[l.Place]
		if !known {
			return controls.ErrOther
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

// Notes are the lists of the rows that steer.
func (s *Steered) Notes(places []uint32) (notes []Noted) {
	for i, place := range places {
		ids, keys := s.lists.List(uint32(i))
		notes = append(notes, Noted{place, ids, keys})
	}
	return notes
}

// Recall is the recall of these lists, and its standard error.
func (s *Steered) Recall(truth *recall.Lists) (mean, standardError float64) {
	return build.MeanOf(build.PerRow(truth, func(place uint32) ([]uint32, []float32) { return s.lists.List(s.number[place]) }))
}
