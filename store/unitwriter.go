package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// A table takes ten times the system calls of a line in the log, so the first units of a
// build, if they are small, go into the log: as much as a small build has in all, and no more
// than is replayed in a moment.
const (
	loggedUnitBytes = 64 << 10 // of one unit
	loggedBytes     = 1 << 20  // of all
)

// unitWriter writes the blocks of a unit, with its mark: through the log, if they are few
// bytes, or else in tables.
type unitWriter struct {
	b     *bulk
	batch *pebble.Batch
	held  int // bytes of blocks in batch
	table bool
}

// set adds a block. Keys ascend.
func (w *unitWriter) set(key, value []byte) error {
	bytes := len(key) + len(value)
	if !w.table && w.held+bytes <= loggedUnitBytes && w.b.d.logged.Load()+int64(w.held+bytes) <= loggedBytes {
		w.held += bytes
		return w.batch.Set(key, value, nil)
	}
	if !w.table {
		if err := w.overflow(); err != nil {
			return err
		}
	}
	return w.b.set(key, value)
}

// overflow has the blocks go into tables, those in the batch too.
func (w *unitWriter) overflow() error {
	w.table = true
	for r := w.batch.Reader(); ; {
		_, key, value, ok, err := r.Next()
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
		if !ok {
			break
		}
		if err := w.b.set(key, value); err != nil {
			return err
		}
	}
	w.batch.Reset()
	w.held = 0
	return nil
}

// commit commits the blocks, and marks the unit done.
func (w *unitWriter) commit(mark, note []byte) error {
	if err := w.b.commit(); err != nil {
		return err
	}
	if err := w.batch.Set(mark, note, nil); err != nil {
		return err
	}
	w.b.d.logged.Add(int64(w.held))
	return w.b.d.engine.write(func() error { return w.batch.Commit(pebble.Sync) })
}
