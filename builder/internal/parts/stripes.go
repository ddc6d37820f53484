package parts

import (
	"fmt"
	"sync"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/store"
)

// The lists of the parts method are on disk: the latest folded ones, and the units of later divisions. They
// are merged in memory, a stripe of places at a time.

// StripeBytes is the memory of a stripe's lists. A group's unit has a block for every stripe. Twice this size
// for each thread would be too much for the least limits; if there is room, several stripes are merged at a
// time.
var StripeBytes = 4 << 20 // a variable for tests

// stripePlaces returns the number of places of a stripe.
func (m *Method) stripePlaces() int { return max(1, StripeBytes/(8*max(1, m.Set.K))) }

// span returns the number of stripes that are merged at a time, besides the balls of inner products.
func (m *Method) span() int {
	return fixed.StripeSpan(m.opts.Memory.Between()-m.cells.held, m.N(), m.Job.Threads, m.Set.K, StripeBytes)
}

// unite makes the lists of the places of stripes from number on, as many stripes as s has room for.
func (m *Method) unite(number, span int, s *solve.Stripe) error {
	places := m.stripePlaces()
	s.From = number * places
	s.To = min(s.From+span*places, m.N())
	if s.Lists == nil {
		s.Lists = knn.New(min(span*places, m.N()), m.K, nil)
	}
	s.Reset(s.From, s.To)
	for from := s.From; m.folded > 0 && from < s.To; from += places {
		ok, err := m.Draft.FoldedBlock(m.folded, uint32(from), &s.Batch)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%w: no lists folded from place %d on", store.ErrCorrupt, from)
		}
		if err := s.Offer(m.N()); err != nil {
			return err
		}
	}
	offer := func() error { return s.Offer(m.N()) }
	for i, units := range m.units {
		for unit := range uint32(units) {
			if err := m.Draft.Blocks(m.folded+1+uint32(i), unit, uint32(number), uint32(number+span), &s.Batch, offer); err != nil {
				return err
			}
			if m.Ctx.Err() != nil {
				return m.Ctx.Err()
			}
		}
	}
	return nil
}

// EachStripe merges stripes in parallel, some consecutive ones at a time, and calls fn with these in order,
// while the next ones are merged.
func (m *Method) EachStripe(fn func(s *solve.Stripe) error) error {
	if err := m.countUnits(); err != nil {
		return err
	}
	type united struct {
		s   *solve.Stripe
		err error
	}
	ahead, span, wide := max(1, m.Job.Threads), m.span(), m.span()*m.stripePlaces()
	waiting := make([]chan united, (m.N()+wide-1)/wide)
	idle, all := make(chan *solve.Stripe, ahead+1), make([]solve.Stripe, ahead+1)
	for i := range all {
		idle <- &all[i]
	}
	for i := range waiting {
		waiting[i] = make(chan united, 1)
	}
	var working sync.WaitGroup
	stop := make(chan struct{})
	defer func() {
		working.Wait() // the store must not be closed while they work
		for i := range all {
			all[i].Free()
		}
	}()
	defer close(stop)
	working.Go(func() {
		for i := range waiting {
			select {
			case <-stop:
				return
			case s := <-idle:
				working.Go(func() { waiting[i] <- united{s, m.unite(i*span, span, s)} })
			}
		}
	})
	for i := range waiting {
		u := <-waiting[i]
		if u.err != nil {
			return u.err
		}
		if err := fn(u.s); err != nil {
			return err
		}
		if m.Ctx.Err() != nil {
			return m.Ctx.Err()
		}
		idle <- u.s
	}
	return nil
}

// countUnits counts the units of the stages since the fold, including the stage in progress.
func (m *Method) countUnits() error {
	m.units = m.units[:0]
	for stage := m.folded + 1; stage <= m.StageNumber(); stage++ {
		units := 0
		err := m.Draft.Units(stage, func(unit uint32, _ []byte) error {
			units = int(unit) + 1
			return nil
		})
		if err != nil {
			return err
		}
		m.units = append(m.units, units)
	}
	return nil
}
