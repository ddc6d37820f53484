package store

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// lists looks up the lists that stand under a tag, 16 rows to a block. It is
// safe for concurrent use.
type lists struct {
	engine     *engine
	tag        byte
	countBytes int

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

// close closes the idle cursors; no lookup may be running.
func (l *lists) close() error {
	var errs []error
	for _, c := range l.idle {
		errs = append(errs, c.iter.Close())
	}
	return errors.Join(errs...)
}
