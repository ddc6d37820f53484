package builder

import (
	"fmt"

	"github.com/knng/knng/store"
)

// foldParts unites the finished divisions into one list a place, so that no more than
// those of one division and twice the lists are ever on disk. The last division is not
// folded: its units become the graph.
func (r *run) foldParts() error {
	if !r.foldDue() {
		return nil
	}
	r.dropGroups()
	if err := r.bounds.take(&r.ledger, r.n()); err != nil {
		return err
	}
	if err := r.foldNotes(); err != nil {
		return err
	}
	p := r.begin("fold", "rows", int64(r.n()))
	defer p.End("")
	err := r.draft.Fold(uint32(len(r.state.Stages)), func(add func(*store.Lists) error) error {
		var batch store.Lists
		defer func() { r.meter.disk(r.onDisk()) }() // what the fold replaces is still there
		return r.eachStripe(func(s *stripe) error {
			batch.Reset()
			for place := s.from; place < s.to; place++ {
				ids, keys := s.list(place)
				batch.Append(uint32(place), ids, keys)
			}
			r.bound(&batch)
			p.Add(s.to - s.from)
			return add(&batch)
		})
	})
	if err != nil {
		return err
	}
	r.folded = uint32(len(r.state.Stages))
	return nil
}

func (r *run) foldDue() bool { return int(r.folded) < len(r.state.Stages) }

// loadFolded takes up the lists last folded.
func (r *run) loadFolded() error {
	stage, ok, err := r.draft.Folded()
	if err != nil || !ok {
		return err
	}
	if int(stage) > len(r.state.Stages) {
		return fmt.Errorf("%w: lists of %d stages, the build records %d", store.ErrCorrupt, stage, len(r.state.Stages))
	}
	if err := r.bounds.take(&r.ledger, r.n()); err != nil {
		return err
	}
	p := r.begin("load", "rows", int64(r.n()))
	defer p.End("")
	r.folded = stage
	return r.draft.ReadFolded(func(l *store.Lists) error {
		for _, place := range l.Rows {
			if int(place) >= r.n() {
				return errPlace(place, r.n())
			}
		}
		r.bound(l)
		p.Add(len(l.Rows))
		return nil
	})
}

// bound sets the bounds that a batch of folded lists tells.
func (r *run) bound(l *store.Lists) {
	for i, place := range l.Rows {
		if from, to := l.Starts[i], l.Starts[i+1]; int(to-from) == r.k {
			r.bounds.set(place, l.Keys[to-1])
		}
	}
}
