package arrange

import (
	"errors"
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// Place gives every row its place, and writes the store's own rows in that order, so that near rows are at
// near places, and leaves and propagation find them in the same pages. The order is one more division; only
// the first leaves of the balls method depend on it. settle chooses the method if there is no order yet.
func (r *Rows) Place(settle func() error) error {
	if err := r.Load(); err != nil {
		return err
	}
	if r.Build.Order == nil {
		if err := settle(); err != nil {
			return err
		}
		if err := r.Make(r.Method.Arrange); err != nil {
			return err
		}
	}
	if r.Set.Reference {
		return nil
	}
	if err := r.Given.Drop(); err != nil {
		return err
	}
	r.Received.Store(r.Given.Received())
	_ = r.Given.Rest() // the store has its own rows; a hint
	return nil
}

// Load reads the order, if there is one, and splits the copies off.
func (r *Rows) Load() (err error) {
	if r.Traits.InOrder {
		var places int
		ordered, err := r.Draft.Load("order", &places)
		if ordered {
			r.Build.Order = r.Good
		}
		return err
	}
	order, err := r.Draft.Order()
	if err != nil || order == nil {
		return err
	}
	r.Build.Order, err = r.Groups.Split(order, len(r.Good))
	return err
}

// Make finds the locality order with a method, and writes the rows in that order.
func (r *Rows) Make(arrange func(given *vectors.Rows, progress func(rows int)) ([]uint32, error)) (err error) {
	if err := r.room(); err != nil {
		return err
	}
	r.Build.Order = r.Good
	switch {
	case r.Set.Reference:
		err = allReferable(r.Source, len(r.Good))
	case r.Traits.InOrder:
		err = r.copy()
	default:
		r.Build.Order, err = r.order(arrange)
	}
	if err != nil {
		return err
	}
	order := r.Build.Order
	if len(r.Groups.Copies) > 0 {
		order = slices.Concat(order, r.Groups.Copies)
	}
	return r.Draft.CommitOrder(order)
}

// allReferable refuses to reference a file with bad rows.
func allReferable(src *vectors.Input, good int) error {
	if rows, ok := src.Mapped(); ok && good == rows.Len() {
		return nil
	}
	return fmt.Errorf("%w: a file with bad rows cannot be referenced: begin anew, and let the store copy the others", input.ErrReference)
}

// room requires the disk space of the store's own rows, their order, and the copy in input order that is made
// first if rows cannot be mapped.
func (r *Rows) room() error {
	n, size := int64(len(r.Good)), int64(r.Source.Dim()*r.Source.Type().Size())
	all := n + int64(r.Groups.Len())
	if r.Set.Reference {
		return r.RoomFor("the order", 4*all, 0)
	}
	spooled := int64(0)
	if _, mapped := r.Source.Mapped(); !r.Traits.InOrder && (!mapped || len(r.Good) != r.Source.Len()) {
		spooled = n * size
	}
	return r.RoomFor("the copy of the rows", all*(size+4), spooled)
}

// MapRows maps the rows in their order: the store's own, or the referenced file.
func (r *Rows) MapRows() error {
	if !r.Set.Reference {
		return r.mapWritten(r.N())
	}
	rows, ok := r.Source.Mapped()
	if !ok {
		return errors.New("builder: the referenced input can no longer be mapped")
	}
	r.Build.Rows = rows
	return nil
}

// mapWritten maps the store's own rows, unless they are mapped already.
func (r *Rows) mapWritten(n int) (err error) {
	if r.Build.Rows != nil {
		return nil
	}
	if r.Build.Rows, err = r.Draft.Rows(); err != nil {
		return err
	}
	if all := n + r.Groups.Len(); r.Build.Rows.Len() != all {
		return fmt.Errorf("%w: %s has %d rows, the order %d", store.ErrCorrupt, r.Draft.RowsPath(), r.Build.Rows.Len(), all)
	}
	r.Build.Rows = r.Build.Rows.Head(n)
	return nil
}
