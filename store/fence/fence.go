// Package fence runs a Pebble database in such a way that a write or a read that
// fails is an error, and no more than that.
//
// Pebble expects its process to end where its files cannot be written. It calls
// Fatalf or panics, with locks held and often in goroutines of its own, where
// nobody can recover; and on a full disk it tries to flush again and again while
// its writers wait. Here the first write that fails closes a fence instead: the
// goroutine that made it is parked before Pebble learns of it, and so is every
// one that tries to write afterwards, while callers get the error. To the files
// it is as if the process had been killed at that moment, which Pebble is built
// to survive: the database opens again, in the same process too.
//
// A read that fails, or finds damage, closes the fence as well, and is told to
// Pebble. Not all of Pebble asks whether a read has failed: v2.1.7, excising a
// range from a table, takes a block that cannot be read for the end of the table
// and drops the keys that it then keeps no bounds of. Behind the fence that is
// never written.
//
// PEBBLE.md, beside this file, describes each trap with its version, the steps that
// show it, and the remedy.
//
// Until the process ends a closed fence keeps the parked goroutines and
// the memory of their database. Its files are closed.
package fence

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// DB is a database behind a fence. Reads may go straight to Pebble; writes go
// through Do.
type DB struct {
	Pebble *pebble.DB
	fs     *fenced

	once   sync.Once
	failed chan struct{} // closed by fail
	err    error         // why; set before
}

// Open opens or creates the database in dir, on opts.FS. It puts its own in the
// places of opts' file system, logger and event listener. logf, which may be
// nil, is told Pebble's complaints.
func Open(dir string, opts *pebble.Options, logf func(format string, args ...any)) (*DB, error) {
	d := &DB{failed: make(chan struct{})}
	d.fs = &fenced{FS: opts.FS, db: d, open: map[io.Closer]io.Closer{}}
	opts.FS, opts.Logger = d.fs, &logger{d, logf}
	opts.EventListener = &pebble.EventListener{
		BackgroundError: d.fail,
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			opts.Logger.Errorf("%v", info)
			d.fail(fmt.Errorf("%s: %w", info.Path, info.Details))
		},
	}
	opened := make(chan *pebble.DB, 1)
	err := d.Do(func() error {
		db, err := pebble.Open(dir, opts)
		opened <- db
		return err
	})
	if err != nil {
		d.abandon()
		return nil, err
	}
	d.Pebble = <-opened
	return d, nil
}

// Do runs op, which writes, and returns its error, or the error that closed the fence. In
// the latter case op may never return: it must not touch memory that its caller uses.
func (d *DB) Do(op func() error) error {
	if err := d.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil { // Pebble's locks may be held
				d.fail(fmt.Errorf("pebble gave up: %v", p))
			}
		}()
		done <- op()
	}()
	select {
	case err := <-done:
		if err == nil {
			err = d.Err() // a failed close is told to nobody else
		}
		return err
	case <-d.failed:
		return d.err
	}
}

// Err is the error that closed the fence, or nil.
func (d *DB) Err() error {
	select {
	case <-d.failed:
		return d.err
	default:
		return nil
	}
}

// fail closes the fence. The first error counts.
func (d *DB) fail(err error) {
	d.once.Do(func() {
		d.err = err
		close(d.failed)
	})
}

// Close closes the database. Behind a closed fence it makes sure that nothing
// is written any more, closes the files, the lock among them, and returns the error that
// closed the fence.
func (d *DB) Close() error {
	err := d.Do(d.Pebble.Close)
	if failed := d.Err(); failed != nil {
		d.abandon()
		return failed
	}
	return err
}

// abandon leaves Pebble where it stands.
func (d *DB) abandon() {
	d.fail(errors.New("the database was abandoned"))
	d.fs.drain()
}

// logger passes Pebble's complaints on.
type logger struct {
	db   *DB
	logf func(format string, args ...any)
}

func (l *logger) Infof(string, ...any) {}

func (l *logger) Errorf(format string, args ...any) {
	if l.logf != nil {
		l.logf(format, args...)
	}
}

// Fatalf is called where Pebble cannot go on, and must not return to it.
func (l *logger) Fatalf(format string, args ...any) {
	failure := &gaveUp{text: fmt.Sprintf("pebble gave up: "+format, args...)}
	for _, a := range args {
		if err, ok := a.(error); ok {
			failure.cause = err
		}
	}
	l.db.fail(failure)
	park()
}

// gaveUp is the last message of Pebble.
type gaveUp struct {
	text  string
	cause error // part of the text; nil where there was none
}

func (g *gaveUp) Error() string { return g.text }

func (g *gaveUp) Unwrap() error { return g.cause }

// park keeps a goroutine from going on. Ending it would run its deferred calls,
// such as unlocking mutexes that Pebble does not hold at that moment.
func park() { select {} }
