package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"math"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/fence"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/store/internal/written"
)

// formatMajorVersion pins Pebble's file formats: a newer Pebble must not write
// stores that the version in go.mod of an older knng cannot read.
const formatMajorVersion = pebble.FormatTableFormatV6

// merger is named although nothing merges yet: Pebble refuses to open a
// database with another merger than it was created with.
var merger = &pebble.Merger{Name: "knng.1", Merge: pebble.DefaultMerger.Merge}

// engine is a Pebble database and all that must be closed with it.
type engine struct {
	db    *pebble.DB
	fence *fence.DB // nil: opened for reading
	cache *pebble.Cache

	account *written.Account // nil: opened for reading, or made

	ids, rowsByID cursors
}

// leastTables is how many tables Pebble has open where nothing is asked for. Each takes some kilobytes: mostTables bounds them.
const leastTables, mostTables = 1000, 8192

// access is the purpose for which a database is opened.
type access int

const (
	toRead access = iota
	toWrite
	toCreate
)

// openEngine opens the database in dir. Only toCreate makes one: where Pebble finds no
// database it would otherwise make an empty one, and delete the tables beside it as
// nobody's.
func openEngine(fs vfs.FS, dir string, cacheBytes int64, to access, logf func(string, ...any)) (*engine, error) {
	e := &engine{cache: pebble.NewCache(cacheBytes)}
	readOnly := to == toRead
	opts := &pebble.Options{
		FS: fs, Cache: e.cache, Merger: merger, FormatMajorVersion: formatMajorVersion,
		ReadOnly: readOnly, ErrorIfNotExists: to != toCreate,
		// Only kilobytes, and the units of small builds, are written through the WAL; all else is ingested.
		MemTableSize: 4 << 20,
		MaxOpenFiles: openTables(),
		// Every block is written where it will stay. Compactions are asked for,
		// so nobody needs statistics; Pebble would read a damaged table for them
		// again and again.
		DisableAutomaticCompactions: true,
		DisableTableStats:           true,
		// Without compactions, writers that wait for one wait for ever: every time a
		// build goes on, its log becomes one more table of the top level.
		L0StopWritesThreshold: math.MaxInt32,
	}
	err := e.sound(opts, dir, to)
	switch {
	case err != nil:
	case readOnly:
		e.db, err = openReader(dir, opts, logf)
	default:
		if e.fence, err = fence.Open(dir, opts, logf); err == nil {
			e.db = e.fence.Pebble
		}
	}
	if err != nil {
		e.cache.Unref()
		return nil, errors.Join(fmt.Errorf("store: %s: %w", dir, err), e.closeAccount())
	}
	e.ids, e.rowsByID = cursors{db: e.db, tag: tagIDs}, cursors{db: e.db, tag: tagRowOfID}
	return e, nil
}

// sound refuses a folder without a database, or with one that differs from its account. It
// continues the account of a database that is opened for writing.
func (e *engine) sound(opts *pebble.Options, dir string, to access) (err error) {
	if err := there(opts.FS, dir, to); err != nil {
		return err
	}
	switch to {
	case toRead:
		err = written.Check(opts.FS, dir)
	case toWrite:
		if err = onlyFiles(opts.FS, dir); err == nil {
			e.account, err = written.Open(opts.FS, dir)
		}
		if err == nil {
			opts.FS = e.account
		}
	}
	if errors.Is(err, written.ErrDiffers) {
		return &AdvisedError{
			Err:    fmt.Errorf("%w: %w", ErrCorrupt, err),
			Advice: "; the build that was interrupted cannot go on, it has to begin anew, in another directory or with this one deleted",
		}
	}
	return err
}

// onlyFiles refuses a folder of a database in which anything but a file has the name of one:
// Pebble reads its markers by their names alone, and a store with such a marker would be
// sealed that does not open.
func onlyFiles(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	for _, name := range names {
		info, statErr := fs.Stat(fs.PathJoin(dir, name))
		switch {
		case errors.Is(statErr, iofs.ErrNotExist):
		case statErr != nil:
			return statErr
		case !info.Mode().IsRegular() && name != tablesName:
			return fmt.Errorf("%w: %s is no file", ErrCorrupt, fs.PathJoin(dir, name))
		}
	}
	return err
}

func (e *engine) closeAccount() error {
	if e.account == nil {
		return nil
	}
	return e.account.Close()
}

// there refuses a folder without a database, before anything is written to it.
func there(fs vfs.FS, dir string, to access) error {
	if to == toCreate {
		return nil
	}
	desc, err := pebble.Peek(dir, fs)
	if err == nil && !desc.Exists {
		err = fmt.Errorf("%w: there is no Pebble database", ErrNotStore)
	}
	return err
}

// openReader opens a database that nobody writes.
func openReader(dir string, opts *pebble.Options, logf func(string, ...any)) (*pebble.DB, error) {
	log := &logger{logf: logf}
	opts.FS, opts.Logger = lockless{opts.FS}, log
	opts.EventListener = &pebble.EventListener{DataCorruption: func(info pebble.DataCorruptionInfo) { log.Errorf("%v", info) }}
	return pebble.Open(dir, opts)
}

// write runs op, which writes through Pebble; see package fence.
func (e *engine) write(op func() error) error { return e.fence.Do(op) }

// set writes one key, durably.
func (e *engine) set(key, value []byte) error {
	return e.write(func() error { return e.db.Set(key, value, pebble.Sync) })
}

func (e *engine) close() error {
	closeDB := e.db.Close
	if e.fence != nil {
		closeDB = e.fence.Close
	}
	err := errors.Join(e.ids.close(), e.rowsByID.close(), closeDB(), e.closeAccount())
	e.cache.Unref()
	return err
}

// get copies the value of a key; ok is false where there is none.
func (e *engine) get(key []byte) (value []byte, ok bool, err error) {
	v, closer, err := e.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, corrupt(key, err)
	}
	defer closer.Close()
	return append([]byte(nil), v...), true, nil
}

// holds reports whether there is a key from start up to end.
func (e *engine) holds(start, end []byte) (held bool, err error) {
	iter, err := e.db.NewIter(&pebble.IterOptions{LowerBound: start, UpperBound: end})
	if err != nil {
		return false, corrupt(start, err)
	}
	held = iter.First()
	if err := errors.Join(iter.Error(), iter.Close()); err != nil {
		return false, corrupt(start, err)
	}
	return held, nil
}

// scan calls fn for every key that begins with prefix, in order. Key and value
// are valid during the call.
func (e *engine) scan(prefix []byte, fn func(key, value []byte) error) error {
	return e.scanRange(prefix, after(prefix), fn)
}

// scanRange calls fn with the keys from up to to, in order, and their values.
func (e *engine) scanRange(from, to []byte, fn func(key, value []byte) error) (err error) {
	iter, err := e.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return corrupt(from, err)
	}
	defer func() {
		if closeErr := iter.Close(); err == nil && closeErr != nil {
			err = corrupt(from, closeErr)
		}
	}()
	for ok := iter.First(); ok; ok = iter.Next() {
		value, err := iter.ValueAndErr()
		if err != nil {
			return corrupt(iter.Key(), err)
		}
		if err := fn(iter.Key(), value); err != nil {
			return err
		}
	}
	return nil
}

// scanUnder is scan that ends with the error of ctx.
func (e *engine) scanUnder(ctx context.Context, prefix []byte, fn func(key, value []byte) error) error {
	keys := 0
	return e.scan(prefix, func(key, value []byte) error {
		if keys++; keys%rowsPerLook == 1 && ctx.Err() != nil {
			return ctx.Err()
		}
		return fn(key, value)
	})
}

// after returns the first key behind all that begin with prefix. No tag is 0xff.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		end[i]++
		if end[i] != 0 {
			return end[:i+1]
		}
	}
	return end
}

// corrupt wraps an error of Pebble about a key.
func corrupt(key []byte, err error) error {
	if len(key) == 0 {
		return storeerr.Damage(err)
	}
	return storeerr.Damage(fmt.Errorf("key %x: %w", key, err))
}

// logger passes a reader's messages on. Pebble calls Fatalf where it cannot go on
// and expects the process to end; this one panics with the error instead, which
// Open turns into its own.
type logger struct{ logf func(string, ...any) }

func (l *logger) Infof(format string, args ...any) {}

func (l *logger) Errorf(format string, args ...any) {
	if l.logf != nil {
		l.logf(format, args...)
	}
}

// fatal is the panic value of Fatalf.
type fatal struct{ error }

func (l *logger) Fatalf(format string, args ...any) {
	panic(fatal{fmt.Errorf("store: Pebble gave up: "+format, args...)})
}

// caught turns a fatal panic into the error of the function that defers it.
func caught(err *error) {
	if p := recover(); p != nil {
		f, ok := p.(fatal)
		if !ok {
			panic(p)
		}
		*err = f.error
	}
}

// lockless opens a database without Pebble's lock file, which even readers
// would take.
type lockless struct{ vfs.FS }

func (lockless) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

// dirBytes is the size of all files below dir, less the scratch folder. Tables that
// Pebble is taking in have two names for a moment, and count once.
func dirBytes(home *rooted.Dir) (total int64, err error) {
	seen := map[int64][]os.FileInfo{} // by size
	err = walkFiles(home, func(_ string, info os.FileInfo) error {
		size := info.Size()
		again := func(other os.FileInfo) bool { return os.SameFile(info, other) }
		if size > 0 && !slices.ContainsFunc(seen[size], again) {
			total += size
			seen[size] = append(seen[size], info)
		}
		return nil
	})
	return total, err
}
