package builder

import (
	"fmt"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/store"
)

// load brings into memory what the committed stages left.
func (r *run) load() (err error) {
	if err := r.mapRows(); err != nil {
		return err
	}
	r.K = min(r.opts.K, r.N()-1)
	if r.K == 0 {
		return nil
	}
	if !r.traits.inOrder {
		if r.Norms, err = r.NormsOf(r.Rows); err != nil {
			return err
		}
	}
	return r.method.resume()
}

func (r *run) mapRows() error {
	if r.opts.Reference {
		rows, ok := r.src.Mapped()
		if !ok {
			return fmt.Errorf("builder: the referenced input can no longer be mapped")
		}
		r.Rows = rows
		return nil
	}
	return r.mapRowsWritten(r.N())
}

// mapRowsWritten maps the store's own rows, unless they are mapped already.
func (r *run) mapRowsWritten(n int) (err error) {
	if r.Rows != nil {
		return nil
	}
	r.ownsRows = true
	if r.Rows, err = r.Draft.Rows(); err != nil {
		return err
	}
	if all := n + len(r.copies); r.Rows.Len() != all {
		return fmt.Errorf("%w: %s has %d rows, the order %d", store.ErrCorrupt, r.Draft.RowsPath(), r.Rows.Len(), all)
	}
	r.Rows = r.Rows.Head(n)
	return nil
}

// loadLists unites the lists last folded with the blocks of the stages since.
func (r *run) loadLists() error {
	p := r.Begin("load", "stages", int64(len(r.State.Stages)))
	defer p.End("")
	r.lists = union.New(r.N(), r.K, r.Order)
	folded, ok, err := r.Draft.Folded()
	if err != nil {
		return err
	}
	if ok {
		if err := r.Draft.ReadFolded(func(l *store.Lists) error { return offerAll(l, r.lists) }); err != nil {
			return err
		}
		p.Add(int(folded))
	}
	for stage := folded + 1; stage <= uint32(len(r.State.Stages)); stage++ {
		if err := r.replay(stage, r.lists); err != nil {
			return err
		}
		p.Add(1)
	}
	return nil
}

// loadLabels fills the shared-leaf cache from the finished divisions.
func (m *paperMethod) loadLabels() error {
	var labels []uint32
	for number := 1; number <= m.State.Count(job.DivisionStage); number++ {
		var ok bool
		var err error
		if labels, ok, err = m.Draft.Labels(uint32(number), labels, nil); err != nil {
			return err
		}
		if !ok || len(labels) != m.N() {
			return fmt.Errorf("%w: leaf numbers of division %d are missing", store.ErrCorrupt, number)
		}
		m.shared.Add(labels)
	}
	return nil
}

// replay offers the entries of every committed block of a stage.
func (r *run) replay(stage uint32, lists *union.Lists) error {
	return r.Draft.Replay(stage, func(_ uint32, l *store.Lists) error { return offerAll(l, lists) })
}

// offerAll offers every entry of a batch, which a store may have read from a
// damaged disk, to lists.
func offerAll(l *store.Lists, lists *union.Lists) error {
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
