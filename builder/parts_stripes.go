package builder

import (
	"fmt"
	"slices"
	"sync"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/store"
)

// The lists of the parts method so far are on disk: those last folded, and the units
// of the divisions since. A stripe of places at a time is united in memory.

// stripeBytes is the memory of a stripe's lists. A group's unit has a block for every
// stripe, which is read by itself: larger stripes mean fewer and larger reads. Twice
// as much for each thread would be felt under the least limits.
var stripeBytes = 4 << 20 // a variable for tests

// stripePlaces is how many places a stripe has.
func (m *partsMethod) stripePlaces() int { return max(1, stripeBytes/(8*max(1, m.opts.K))) }

func (m *partsMethod) stripes() int { return (m.N() + m.stripePlaces() - 1) / m.stripePlaces() }

// list is a copy of one list.
type list struct {
	ids  []uint32
	keys []float32
}

// stripe is the lists of consecutive places.
type stripe struct {
	from, to int // places
	lists    *union.Lists
	merger   union.Merger
	batch    store.Lists
}

func (s *stripe) list(place int) (ids []uint32, keys []float32) {
	return s.lists.List(uint32(place - s.from))
}

func (s *stripe) copyOf(place int) list {
	ids, keys := s.list(place)
	return list{slices.Clone(ids), slices.Clone(keys)}
}

// unite makes the lists of a stripe.
func (m *partsMethod) unite(number int, s *stripe) error {
	s.from = number * m.stripePlaces()
	s.to = min(s.from+m.stripePlaces(), m.N())
	if s.lists == nil {
		s.lists = union.New(min(m.stripePlaces(), m.N()), m.K, nil)
	}
	for p := range uint32(s.to - s.from) {
		s.lists.Set(p, nil, nil)
	}
	if m.folded > 0 {
		ok, err := m.Draft.FoldedBlock(m.folded, uint32(s.from), &s.batch)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%w: no lists folded from place %d on", store.ErrCorrupt, s.from)
		}
		if err := s.offer(m.N()); err != nil {
			return err
		}
	}
	for i, units := range m.units {
		for unit := range uint32(units) {
			ok, err := m.Draft.Block(m.folded+1+uint32(i), unit, uint32(number), &s.batch)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if err := s.offer(m.N()); err != nil {
				return err
			}
		}
	}
	return nil
}

// offer offers a block, which may come from a damaged disk.
func (s *stripe) offer(n int) error {
	l := &s.batch
	for i, place := range l.Rows {
		if int(place) < s.from || int(place) >= s.to {
			return job.ErrPosition(place, n)
		}
		ids, keys := l.Neighbors[l.Starts[i]:l.Starts[i+1]], l.Keys[l.Starts[i]:l.Starts[i+1]]
		for j, id := range ids {
			if int(id) >= n {
				return job.ErrPosition(id, n)
			}
			if j > 0 && !(keys[j-1] < keys[j] || keys[j-1] == keys[j] && ids[j-1] < id) { // NaN either
				return fmt.Errorf("%w: the list of place %d in a block does not ascend", store.ErrCorrupt, place)
			}
		}
		s.merger.Merge(s.lists, place-uint32(s.from), ids, keys)
	}
	return nil
}

// eachStripe unites stripes side by side and calls fn with them in order, while the
// next ones are united.
func (m *partsMethod) eachStripe(fn func(s *stripe) error) error {
	if err := m.countUnits(); err != nil {
		return err
	}
	type united struct {
		s   *stripe
		err error
	}
	ahead := max(1, m.opts.Threads)
	waiting := make([]chan united, m.stripes())
	idle, all := make(chan *stripe, ahead+1), make([]stripe, ahead+1)
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
			if all[i].lists != nil {
				all[i].lists.Free()
			}
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
func (m *partsMethod) countUnits() error {
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
