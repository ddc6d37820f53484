package builder

import (
	"fmt"

	"github.com/knng/knng/store"
)

// load loads the results of the committed stages.
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
	if err := r.method.Resume(); err != nil || r.traits.overlaps {
		return err
	}
	return r.pairs.Choose(&r.Build)
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
	if all := n + r.Groups.Len(); r.Rows.Len() != all {
		return fmt.Errorf("%w: %s has %d rows, the order %d", store.ErrCorrupt, r.Draft.RowsPath(), r.Rows.Len(), all)
	}
	r.Rows = r.Rows.Head(n)
	return nil
}
