package store

import (
	"errors"
	"fmt"

	"github.com/knng/knng/vectors"
)

// lists looks up the lists that stand under a tag, 16 rows to a block: in the
// view where there is one, else through Pebble. It is safe for concurrent use.
type lists struct {
	listsOf
	engine  *engine
	home    *sealed // of the engine
	view    *view
	cursors cursors
}

// openLists opens the view in dir of what the engine holds, if it is there.
func openLists(e *engine, home *sealed, of listsOf) (*lists, error) {
	v, err := openView(home, of)
	return &lists{listsOf: of, engine: e, home: home, view: v, cursors: cursors{db: e.db, tag: of.tag}}, err
}

// openWithoutView looks lists up through Pebble.
func openWithoutView(e *engine, _ *sealed, of listsOf) (*lists, error) {
	return &lists{listsOf: of, engine: e, cursors: cursors{db: e.db, tag: of.tag}}, nil
}

// with calls fn with the raw list of a row, which is valid during the call.
func (l *lists) with(row Row, fn func(neighbors, keys []byte)) error {
	if l.view == nil {
		return l.withPebble(row, fn)
	}
	err := vectors.Guard(func() error {
		neighbors, keys, err := l.view.list(int(row))
		if err == nil {
			fn(neighbors, keys)
		}
		return err
	})
	if errors.Is(err, vectors.ErrFault) {
		err = fmt.Errorf("store: %s: row %d: %w", l.view.path, row, err)
	}
	return err
}

func (l *lists) withPebble(row Row, fn func(neighbors, keys []byte)) error {
	c, err := l.cursors.take()
	if err != nil {
		return err
	}
	defer l.cursors.give(c)
	c.key = key64(c.key, l.tag, uint64(row)/adjacencyRows)
	block, ok, err := c.value()
	if err != nil {
		return err
	}
	if !ok {
		return corrupt(c.key, fmt.Errorf("no block for row %d", row))
	}
	neighbors, keys, err := rowOfBlock(block, int(row%adjacencyRows), l.countBytes)
	if err == nil {
		err = l.valid(neighbors)
	}
	if err != nil {
		return corrupt(c.key, fmt.Errorf("row %d: %w", row, err))
	}
	fn(neighbors, keys)
	return nil
}

// close closes cursors and view; no lookup may be running.
func (l *lists) close() error {
	err := l.cursors.close()
	if l.view != nil {
		err = errors.Join(err, l.view.close())
	}
	return err
}
