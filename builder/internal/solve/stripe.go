package solve

import (
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/store"
)

// A List is a copy of one list.
type List struct {
	IDs  []uint32
	Keys []float32
}

// A Stripe holds the lists of consecutive places.
type Stripe struct {
	From, To int // places
	Lists    *knn.Lists
	Batch    store.Lists // a block that Offer takes
	merger   knn.Merger
}

// NewStripe returns the empty lists of a range of places.
func NewStripe(from, to, k int) *Stripe {
	return &Stripe{From: from, To: to, Lists: knn.New(to-from, k, nil)}
}

// Free frees the memory.
func (s *Stripe) Free() {
	if s.Lists != nil {
		s.Lists.Free()
	}
}

// List returns the list of a place.
func (s *Stripe) List(place int) (ids []uint32, keys []float32) {
	return s.Lists.List(uint32(place - s.From))
}

// Copy returns a copy of the list of a place.
func (s *Stripe) Copy(place int) List {
	ids, keys := s.List(place)
	return List{slices.Clone(ids), slices.Clone(keys)}
}

// Reset turns the stripe into an empty one of the places from from up to to, at most as many as it was made
// for.
func (s *Stripe) Reset(from, to int) {
	s.From, s.To = from, to
	for p := range uint32(to - from) {
		s.Lists.Set(p, nil, nil)
	}
}

// Offer merges the lists of the batch into the present ones. The batch, of a graph of n rows, may come from a
// damaged disk.
func (s *Stripe) Offer(n int) error {
	l := &s.Batch
	for i, place := range l.Rows {
		if err := s.OfferList(place, l.Neighbors[l.Starts[i]:l.Starts[i+1]], l.Keys[l.Starts[i]:l.Starts[i+1]], n); err != nil {
			return err
		}
	}
	return nil
}

// OfferList merges a list into the present one of its place. It may come from a damaged disk too.
func (s *Stripe) OfferList(place uint32, ids []uint32, keys []float32, n int) error {
	if int(place) < s.From || int(place) >= s.To {
		return job.ErrPosition(place, n)
	}
	for j, id := range ids {
		if int(id) >= n {
			return job.ErrPosition(id, n)
		}
		if j > 0 && !(keys[j-1] < keys[j] || keys[j-1] == keys[j] && ids[j-1] < id) { // also if NaN
			return fmt.Errorf("%w: the list of place %d in a block does not ascend", store.ErrCorrupt, place)
		}
	}
	s.merger.Merge(s.Lists, place-uint32(s.From), ids, keys)
	return nil
}
