package store

import (
	"encoding/json"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// foldedRecord names the record that makes a fold count.
const foldedRecord = "folded"

// Fold writes the running lists as they are after stage, then drops the blocks
// and unit marks of stages up to it and the lists folded before, and gives
// their space back. write is called once; it must call add with batches whose
// places ascend and together cover every place.
//
// The fold takes effect when its record is written. A crash before leaves the old state
// whole; a crash after leaves only data that the next OpenDraft removes.
func (d *Draft) Fold(stage uint32, write func(add func(*Lists) error) error) (err error) {
	// A fold of this stage that a crash cut short may have left lists.
	if err := d.engine.exciseLeft(key32(tagFolded, stage), key32(tagFolded, stage+1)); err != nil {
		return err
	}
	b := newBulk(d)
	defer b.abort()
	var buf []byte
	err = write(func(l *Lists) error {
		if len(l.Rows) == 0 {
			return nil
		}
		value := l.packed
		if len(value) == 0 {
			var err error
			if buf, err = appendLists(buf[:0], l); err != nil {
				return err
			}
			value = buf
		}
		return b.set(key32(tagFolded, stage, l.Rows[0]), value)
	})
	if err != nil {
		return err
	}
	if err := b.commit(); err != nil {
		return err
	}
	if err := (folds{d.engine}).mark(stage); err != nil {
		return err
	}
	return folds{d.engine}.dropBefore(stage)
}

// folds are the lists of folds in a database.
type folds struct{ *engine }

// mark writes the record and drops the unit marks, in one batch.
func (f folds) mark(stage uint32) error {
	value, err := json.Marshal(stage)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	batch := f.db.NewBatch() // not closed: a commit that fails keeps it
	if err := batch.Set(recordKey(foldedRecord), value, nil); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := batch.DeleteRange(key32(tagUnit), key32(tagUnit, stage+1), nil); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := f.write(func() error { return batch.Commit(pebble.Sync) }); err != nil {
		return fmt.Errorf("store: fold: %w", err)
	}
	return nil
}

// dropBefore drops the lists and blocks that a fold of stage replaces.
func (f folds) dropBefore(stage uint32) error {
	if err := f.excise(key32(tagBlock), key32(tagBlock, stage+1)); err != nil {
		return err
	}
	return f.excise(key32(tagFolded), key32(tagFolded, stage))
}

// Folded returns the stage of the last fold; ok is false if there was none.
func (d *Draft) Folded() (stage uint32, ok bool, err error) {
	ok, err = d.Load(foldedRecord, &stage)
	return stage, ok, err
}

// ReadFolded calls fn with the lists last folded, in place order. The Lists
// passed is reused between calls.
func (d *Draft) ReadFolded(fn func(l *Lists) error) (err error) {
	stage, ok, err := d.Folded()
	if err != nil || !ok {
		return err
	}
	var l Lists
	return d.engine.scan(key32(tagFolded, stage), func(key, value []byte) error {
		if err := decodeLists(value, &l); err != nil {
			return corrupt(key, err)
		}
		return fn(&l)
	})
}

// FoldedBlock reads the batch of the fold of a stage that begins with a place into l,
// and reports whether there is one. It is safe for concurrent use.
func (d *Draft) FoldedBlock(stage, place uint32, l *Lists) (ok bool, err error) {
	return d.engine.readLists(key32(tagFolded, stage, place), l)
}
