package store

import (
	"errors"
	"fmt"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/lookup"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/store/internal/view"
)

// lists looks up the lists under a tag: in the view where there is one, otherwise through
// Pebble. It is safe for concurrent use.
type lists struct {
	block.Layout
	engine  *engine
	home    *sealed.Dir // of the engine
	view    *view.View
	cursors cursors
}

// openLists opens the view of the lists that the engine holds, if there is one.
func openLists(e *engine, home *sealed.Dir, of block.Layout) (*lists, error) {
	v, err := view.Open(home, of)
	return &lists{Layout: of, engine: e, home: home, view: v, cursors: cursors{db: e.db, tag: of.Tag}}, err
}

// openWithoutView looks lists up through Pebble.
func openWithoutView(e *engine, _ *sealed.Dir, of block.Layout) (*lists, error) {
	return &lists{Layout: of, engine: e, cursors: cursors{db: e.db, tag: of.Tag}}, nil
}

// with calls fn with the encoded list of a row, which is valid during the call.
func (l *lists) with(row Row, fn func(neighbors, keys []byte)) error {
	if l.view == nil {
		return l.withPebble(row, fn)
	}
	return l.view.With(int(row), fn)
}

func (l *lists) withPebble(row Row, fn func(neighbors, keys []byte)) error {
	neighbors, keys, held, err := l.List(uint64(row))
	if err == nil {
		fn(neighbors, keys)
		held.Release()
	}
	return err
}

// List reads the encoded list of a row through Pebble. It is valid until held is released.
func (l *lists) List(row uint64) (neighbors, keys []byte, held lookup.Held, err error) {
	c, err := l.cursors.take()
	if err != nil {
		return nil, nil, nil, err
	}
	if neighbors, keys, err = l.read(c, row); err != nil {
		c.Release()
		return nil, nil, nil, err
	}
	return neighbors, keys, c, nil
}

func (l *lists) read(c *cursor, row uint64) (neighbors, keys []byte, err error) {
	c.key = key64(c.key, l.Tag, row/block.Rows)
	value, ok, err := c.value()
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, corrupt(c.key, fmt.Errorf("no block for row %d", row))
	}
	neighbors, keys, err = block.Row(value, int(row%block.Rows), l.CountBytes)
	if err == nil {
		err = l.Valid(neighbors)
	}
	if err != nil {
		return nil, nil, corrupt(c.key, fmt.Errorf("row %d: %w", row, err))
	}
	return neighbors, keys, nil
}

// AppendID and RowOf make lists a lookup.Fallback.

func (l *lists) AppendID(dst []byte, row uint64) ([]byte, error) { return l.engine.appendID(dst, row) }

func (l *lists) RowOf(id string) (row uint64, ok bool, err error) { return l.engine.rowOf(id) }

// each calls fn with the encoded list of every row, in order, read through Pebble.
func (l *lists) each(fn func(row int, neighbors, keys []byte) error) error {
	return l.engine.eachList(l.Layout, func(row int, neighbors, keys []byte) error {
		if err := l.Valid(neighbors); err != nil {
			return fmt.Errorf("%w: row %d: %w", storeerr.ErrCorrupt, row, err)
		}
		return fn(row, neighbors, keys)
	})
}

// close closes cursors and view. No lookup may be in progress.
func (l *lists) close() error {
	err := l.cursors.close()
	if l.view != nil {
		err = errors.Join(err, l.view.Close())
	}
	return err
}
