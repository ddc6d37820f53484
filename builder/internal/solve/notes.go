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

// Note is the note of a committed group. The recall of lists on disk cannot be measured, so every group notes
// the lists that it found for the steering rows, and a fold keeps the union of the notes that it drops.
type Note struct {
	job.Counts
	Steered []Noted `json:"s,omitempty"`
}

// Noted is the list of a group for a steering row.
type Noted struct {
	Place     uint32    `json:"p"`
	Neighbors []uint32  `json:"n"` // places
	Keys      []float32 `json:"k"`
}

// steeredIn returns the lists of a group of places for the steering rows.
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

// Steered holds the lists of the steering rows, as far as divisions have found them.
type Steered struct {
	number map[uint32]uint32 // of a place, among the steering rows
	lists  *knn.Lists        // to be freed
}

// NewSteered returns empty lists of some places, which the caller frees.
func NewSteered(places []uint32, k int) *Steered {
	s := &Steered{number: make(map[uint32]uint32, len(places)), lists: knn.New(len(places), k, nil)}
	for i, place := range places {
		s.number[place] = uint32(i)
	}
	return s
}

// Free frees the memory.
func (s *Steered) Free() { s.lists.Free() }

// Offer merges lists into the present ones. The same list may come twice.
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

// Notes returns the lists of the steering rows.
func (s *Steered) Notes(places []uint32) (notes []Noted) {
	for i, place := range places {
		ids, keys := s.lists.List(uint32(i))
		notes = append(notes, Noted{place, ids, keys})
	}
	return notes
}

// Recall returns the recall of these lists, and its standard error.
func (s *Steered) Recall(truth *recall.Lists) (mean, standardError float64) {
	return build.MeanOf(build.PerRow(truth, func(place uint32) ([]uint32, []float32) { return s.lists.List(s.number[place]) }))
}
