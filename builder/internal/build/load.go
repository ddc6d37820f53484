package build

import (
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/store"
)

// LoadLists joins the latest folded lists with the blocks of later stages.
func (b *Build) LoadLists() error {
	p := b.Begin("load", "stages", int64(len(b.State.Stages)))
	defer p.End("")
	b.Lists = knn.New(b.N(), b.K, b.Order)
	folded, ok, err := b.Draft.Folded()
	if err != nil {
		return err
	}
	if ok {
		if err := b.Draft.ReadFolded(func(l *store.Lists) error { return offerAll(l, b.Lists) }); err != nil {
			return err
		}
		p.Add(int(folded))
	}
	for stage := folded + 1; stage <= uint32(len(b.State.Stages)); stage++ {
		if err := b.Replay(stage, b.Lists); err != nil {
			return err
		}
		p.Add(1)
	}
	return nil
}

// Replay offers the entries of every committed block of a stage.
func (b *Build) Replay(stage uint32, lists *knn.Lists) error {
	return b.Draft.Replay(stage, func(_ uint32, l *store.Lists) error { return offerAll(l, lists) })
}

// offerAll offers to lists every entry of a batch, which may come from a damaged disk.
func offerAll(l *store.Lists, lists *knn.Lists) error {
	for i, place := range l.Rows {
		if int(place) >= lists.N {
			return job.ErrPosition(place, lists.N)
		}
		for j := l.Starts[i]; j < l.Starts[i+1]; j++ {
			if int(l.Neighbors[j]) >= lists.N {
				return job.ErrPosition(l.Neighbors[j], lists.N)
			}
			lists.Offer(place, l.Neighbors[j], l.Keys[j])
		}
	}
	return nil
}
