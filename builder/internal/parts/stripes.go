package parts

import (
	"fmt"
	"sync"

	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/store"
)

// The lists of the parts method so far are on disk: those last folded, and the units
// of the divisions since. A stripe of places at a time is united in memory.

// StripeBytes is the memory of a stripe's lists. A group's unit has a block for every
// stripe, which is read by itself: larger stripes mean fewer and larger reads. Twice
// as much for each thread would be felt under the least limits.
var StripeBytes = 4 << 20 // a variable for tests

// stripePlaces is how many places a stripe has.
func (m *Method) stripePlaces() int { return max(1, StripeBytes/(8*max(1, m.Set.K))) }

func (m *Method) stripes() int { return (m.N() + m.stripePlaces() - 1) / m.stripePlaces() }

// unite makes the lists of a stripe.
func (m *Method) unite(number int, s *solve.Stripe) error {
	s.From = number * m.stripePlaces()
	s.To = min(s.From+m.stripePlaces(), m.N())
	if s.Lists == nil {
		s.Lists = knn.New(min(m.stripePlaces(), m.N()), m.K, nil)
	}
	for p := range uint32(s.To - s.From) {
		s.Lists.Set(p, nil, nil)
	}
	if m.folded > 0 {
		ok, err := m.Draft.FoldedBlock(m.folded, uint32(s.From), &s.Batch)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%w: no lists folded from place %d on", store.ErrCorrupt, s.From)
		}
		if err := s.Offer(m.N()); err != nil {
			return err
		}
	}
	for i, units := range m.units {
		for unit := range uint32(units) {
			ok, err := m.Draft.Block(m.folded+1+uint32(i), unit, uint32(number), &s.Batch)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if err := s.Offer(m.N()); err != nil {
				return err
			}
		}
	}
	return nil
}

// EachStripe unites stripes side by side and calls fn with them in order, while the
// next ones are united.
func (m *Method) EachStripe(fn func(s *solve.Stripe) error) error {
	if err := m.countUnits(); err != nil {
		return err
	}
	type united struct {
		s   *solve.Stripe
		err error
	}
	ahead := max(1, m.Job.Threads)
	waiting := make([]chan united, m.stripes())
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
		working.Wait() // the store must not be closed under them
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
				working.Go(func() { waiting[i] <- united{s, m.unite(i, s)} })
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

// countUnits learns how many units the stages since the fold have, those of the stage
// in progress included.
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
