package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/knng/knng/vectors"
)

// lists looks up the lists that stand under a tag, 16 rows to a block: in the
// view where there is one, else through Pebble. It is safe for concurrent use.
type lists struct {
	listsOf
	engine *engine
	view   *view

	mu   sync.Mutex
	idle []*cursor // of lookups that are done, to be used again
}

// A cursor finds one list after another. The list lies in Pebble's block cache,
// held by the iterator; the key is here because it would be allocated elsewhere.
type cursor struct {
	iter            *pebble.Iterator
	key             [9]byte
	neighbors, keys []byte
}

// openLists opens the view in dir of what the engine holds, if it is there.
func openLists(e *engine, dir string, of listsOf) (*lists, error) {
	v, err := openView(filepath.Join(dir, viewName), filepath.Join(dir, graphName), of)
	return &lists{listsOf: of, engine: e, view: v}, err
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
	c, err := l.find(row)
	if err != nil {
		return err
	}
	defer l.done(c)
	if err := l.valid(c.neighbors); err != nil {
		return fmt.Errorf("%w: row %d: %w", ErrCorrupt, row, err)
	}
	fn(c.neighbors, c.keys)
	return nil
}

// find returns the raw list of a row. done must follow where err is nil.
func (l *lists) find(row Row) (*cursor, error) {
	c, err := l.cursor()
	if err != nil {
		return nil, err
	}
	key := key64(c.key[:0], l.tag, uint64(row)/adjacencyRows)
	if !c.iter.SeekGE(key) || string(c.iter.Key()) != string(key) {
		err = c.iter.Error()
		if err == nil {
			err = fmt.Errorf("no block for row %d", row)
		}
	}
	var block []byte
	if err == nil {
		block, err = c.iter.ValueAndErr()
	}
	if err == nil {
		c.neighbors, c.keys, err = rowOfBlock(block, int(row%adjacencyRows), l.countBytes)
	}
	if err != nil {
		err = corrupt(key, err)
		c.iter.Close() // its own error has been told
		return nil, err
	}
	return c, nil
}

// cursor takes an idle cursor or makes one.
func (l *lists) cursor() (*cursor, error) {
	l.mu.Lock()
	if n := len(l.idle); n > 0 {
		c := l.idle[n-1]
		l.idle = l.idle[:n-1]
		l.mu.Unlock()
		return c, nil
	}
	l.mu.Unlock()
	iter, err := l.engine.db.NewIter(&pebble.IterOptions{LowerBound: []byte{l.tag}, UpperBound: []byte{l.tag + 1}})
	if err != nil {
		return nil, corrupt(nil, err)
	}
	return &cursor{iter: iter}, nil
}

// done gives back what find took.
func (l *lists) done(c *cursor) {
	l.mu.Lock()
	l.idle = append(l.idle, c)
	l.mu.Unlock()
}

// close closes the idle cursors and the view; no lookup may be running.
func (l *lists) close() error {
	var errs []error
	for _, c := range l.idle {
		errs = append(errs, c.iter.Close())
	}
	if l.view != nil {
		errs = append(errs, l.view.close())
	}
	return errors.Join(errs...)
}
