package store

import (
	"errors"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// cursors are iterators over the keys of a tag, kept for lookups to come: making
// one takes longer than a lookup. They are safe for concurrent use.
type cursors struct {
	db  *pebble.DB
	tag byte

	mu   sync.Mutex
	idle []*cursor
}

// A cursor finds one value after another. A value lies in Pebble's block cache,
// held by the iterator; the key is here because it would be allocated elsewhere.
type cursor struct {
	home *cursors
	iter *pebble.Iterator
	key  []byte
}

// take takes an idle cursor or makes one.
func (c *cursors) take() (*cursor, error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		cur := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		return cur, nil
	}
	c.mu.Unlock()
	iter, err := c.db.NewIter(&pebble.IterOptions{LowerBound: []byte{c.tag}, UpperBound: []byte{c.tag + 1}})
	if err != nil {
		return nil, corrupt(nil, err)
	}
	return &cursor{home: c, iter: iter}, nil
}

// Release gives the cursor back.
func (cur *cursor) Release() {
	if cur.iter.Error() != nil {
		cur.iter.Close() // its error was returned already
		return
	}
	c := cur.home
	c.mu.Lock()
	c.idle = append(c.idle, cur)
	c.mu.Unlock()
}

// value finds the value of the cursor's key, valid until the cursor is given
// back; ok is false where there is none.
func (c *cursor) value() (value []byte, ok bool, err error) {
	if !c.iter.SeekGE(c.key) || string(c.iter.Key()) != string(c.key) {
		if err := c.iter.Error(); err != nil {
			return nil, false, corrupt(c.key, err)
		}
		return nil, false, nil
	}
	if value, err = c.iter.ValueAndErr(); err != nil {
		return nil, false, corrupt(c.key, err)
	}
	return value, true, nil
}

// close closes the idle cursors; none may be taken.
func (c *cursors) close() error {
	var errs []error
	for _, cur := range c.idle {
		errs = append(errs, cur.iter.Close())
	}
	c.idle = nil
	return errors.Join(errs...)
}
