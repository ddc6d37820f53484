package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strconv"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// tableBytes is about the size of one table. Fewer and larger ones make cheaper
// lookups; beyond some hundred megabytes their indexes take two levels.
const tableBytes = 256 << 20

// aheadBytes is the size of a block of tables that are read in order. A value of a unit is some
// kilobytes: with Pebble's 4 KiB each would be a read of its own, and have an entry in the index.
const aheadBytes = 64 << 10

// bulk writes ascending keys into tables outside the database and ingests them
// together: all or none of them are in it afterwards.
type bulk struct {
	d     *Draft
	plain bool // the tables are not compressed
	ahead bool // the tables are read in order, not by single keys
	w     *sstable.Writer

	contents contents // of the table in progress
	paths    []string
	bytes    int
}

func newBulk(d *Draft) *bulk { return &bulk{d: d} }

// set adds a key. Keys must ascend.
func (b *bulk) set(key, value []byte) error {
	if b.w == nil || b.bytes >= cmp.Or(b.d.tableBytes, tableBytes) {
		if err := b.next(); err != nil {
			return err
		}
	}
	b.bytes += len(key) + len(value)
	b.contents.add(key, value)
	if err := b.w.Set(key, value); err != nil {
		return fmt.Errorf("store: write table: %w", err)
	}
	return nil
}

// next begins a table.
func (b *bulk) next() error {
	if err := b.finish(); err != nil {
		return err
	}
	dir := filepath.Join(b.d.dir, graphName, tablesName)
	if err := b.d.fs.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	path := filepath.Join(dir, strconv.FormatInt(b.d.tables.Add(1), 10))
	f, err := b.d.fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	b.paths, b.bytes = append(b.paths, path), 0
	opts := tableOptions
	if b.plain {
		opts.Compression = sstable.NoCompression
	}
	if b.ahead {
		opts.BlockSize = aheadBytes
	}
	b.contents = newContents()
	opts.BlockPropertyCollectors = []func() sstable.BlockPropertyCollector{b.contents.collector}
	b.w = sstable.NewWriter(newTableWriter(f), opts)
	return nil
}

// tableOptions are those of Pebble's lowest level, where ingested tables go.
var tableOptions = func() sstable.WriterOptions {
	opts := &pebble.Options{FormatMajorVersion: formatMajorVersion, Merger: merger}
	opts.EnsureDefaults()
	lowest := len(opts.Levels) - 1
	return opts.MakeWriterOptions(lowest, formatMajorVersion.MaxTableFormat())
}()

// finish ends the table in progress.
func (b *bulk) finish() error {
	if b.w == nil {
		return nil
	}
	w := b.w
	b.w = nil
	if err := w.Close(); err != nil { // syncs
		return fmt.Errorf("store: write table: %w", err)
	}
	return nil
}

// commit ingests everything set.
func (b *bulk) commit() error {
	if err := b.finish(); err != nil {
		b.abort()
		return err
	}
	if len(b.paths) == 0 {
		return nil
	}
	e, paths := b.d.engine, b.paths
	if err := e.write(func() error { return e.db.Ingest(context.Background(), paths) }); err != nil {
		b.abort()
		return fmt.Errorf("store: ingest: %w", err)
	}
	b.paths = nil
	return nil
}

// abort removes the tables that were written; after commit it does nothing.
func (b *bulk) abort() {
	if b.w != nil {
		b.w.Close()
		b.w = nil
	}
	for _, path := range b.paths {
		b.d.fs.Remove(path)
	}
	b.paths = nil
}

// exciseLeft excises the keys that an attempt left which a crash cut short. Mostly there are none,
// and an excision costs a version of the database.
func (e *engine) exciseLeft(start, end []byte) error {
	held, err := e.holds(start, end)
	if err != nil || !held {
		return err
	}
	return e.excise(start, end)
}

// excise drops all keys from start up to end, tables and all: unlike a range
// deletion it gives their space back at once.
func (e *engine) excise(start, end []byte) error {
	err := e.write(func() error { return e.db.Excise(context.Background(), pebble.KeyRange{Start: start, End: end}) })
	if err != nil {
		return fmt.Errorf("store: excise: %w", err)
	}
	return nil
}

// dropStale removes the leftovers of a crash: tables that were not ingested, and data that a
// fold has replaced.
func dropStale(d *Draft) error {
	if err := d.fs.RemoveAll(filepath.Join(d.dir, graphName, tablesName)); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	stage, ok, err := d.Folded()
	if err != nil || !ok {
		return err
	}
	return folds{d.engine}.dropBefore(stage)
}

// CommitUnit ingests the subgraph blocks of one unit, less those without rows, and
// then marks the unit done with its note (small JSON: counts). Redoing a unit is
// harmless.
func (d *Draft) CommitUnit(stage, unit uint32, blocks []Lists, note any) error {
	return d.CommitBlocks(stage, unit, func(yield func(uint32, *Lists) bool) {
		for i := range blocks {
			if !yield(uint32(i), &blocks[i]) {
				return
			}
		}
	}, note)
}

// CommitBlocks is CommitUnit of blocks with their numbers, which ascend. One is looked at before
// the next one is asked for: it may have that one's memory.
func (d *Draft) CommitBlocks(stage, unit uint32, blocks iter.Seq2[uint32, *Lists], note any) (err error) {
	value, err := json.Marshal(note)
	if err != nil {
		return fmt.Errorf("store: unit note: %w", err)
	}
	tables := newBulk(d)
	tables.ahead = true
	w := unitWriter{b: tables, batch: d.engine.db.NewBatch()} // not closed: a commit that fails keeps it
	defer w.b.abort()
	var buf []byte
	for i, block := range blocks {
		if len(block.Rows) == 0 {
			continue
		}
		if buf, err = appendLists(buf[:0], block); err != nil {
			return err
		}
		if err := w.set(key32(tagBlock, stage, unit, i), buf); err != nil {
			return err
		}
	}
	if err := w.commit(key32(tagUnit, stage, unit), value); err != nil {
		return fmt.Errorf("store: unit %d of stage %d: %w", unit, stage, err)
	}
	return nil
}

// Units calls fn with each committed unit of a stage and its note as raw JSON.
func (d *Draft) Units(stage uint32, fn func(unit uint32, note []byte) error) (err error) {
	return d.engine.scan(key32(tagUnit, stage), func(key, value []byte) error {
		unit, ok := part32(key, 1)
		if !ok {
			return corrupt(key, errors.New("short key"))
		}
		return fn(unit, value)
	})
}

// Replay calls fn with every block of the committed units of a stage. The
// Lists passed is reused between calls.
func (d *Draft) Replay(stage uint32, fn func(unit uint32, l *Lists) error) (err error) {
	done := map[uint32]bool{}
	if err := d.Units(stage, func(unit uint32, _ []byte) error { done[unit] = true; return nil }); err != nil {
		return err
	}
	var l Lists
	return d.engine.scan(key32(tagBlock, stage), func(key, value []byte) error {
		unit, ok := part32(key, 1)
		if !ok {
			return corrupt(key, errors.New("short key"))
		}
		if !done[unit] {
			return nil
		}
		if err := decodeLists(value, &l); err != nil {
			return corrupt(key, err)
		}
		return fn(unit, &l)
	})
}

// Blocks reads the blocks of a unit from number from up to to into l, those that there are, one
// after the other, and calls fn after each. It is safe for concurrent use.
func (d *Draft) Blocks(stage, unit, from, to uint32, l *Lists, fn func() error) error {
	return d.engine.scanRange(key32(tagBlock, stage, unit, from), key32(tagBlock, stage, unit, to), func(key, value []byte) error {
		if err := decodeLists(value, l); err != nil {
			return corrupt(key, err)
		}
		return fn()
	})
}

func (e *engine) readLists(key []byte, l *Lists) (ok bool, err error) {
	value, ok, err := e.get(key)
	if err != nil || !ok {
		return false, err
	}
	if err := decodeLists(value, l); err != nil {
		return false, corrupt(key, err)
	}
	return true, nil
}

// BlockBytes estimates the bytes of all unfolded subgraph blocks on disk, which Replay would
// read. The builder folds when they become many.
func (d *Draft) BlockBytes() (n int64, err error) {
	bytes, err := d.engine.db.EstimateDiskUsage([]byte{tagBlock}, []byte{tagBlock + 1})
	if err != nil {
		return 0, fmt.Errorf("store: %w", err)
	}
	return int64(bytes), nil
}
