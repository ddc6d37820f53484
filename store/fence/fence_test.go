package fence_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/knng/knng/store/fence"
)

var long = flag.Bool("long", false, "fail every write, not every seventh")

// failing lets a number of writes pass and fails those after it, for good or
// only the next.
func failing(pass int64, once bool) (vfs.FS, *atomic.Int64) {
	writes := new(atomic.Int64)
	return errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
			return nil
		}
		if n := writes.Add(1); n <= pass || once && n > pass+1 {
			return nil
		}
		return &fs.PathError{Op: "write", Path: op.Path, Err: syscall.ENOSPC}
	})), writes
}

// work writes until an error and returns how many keys were promised to last.
func work(db *fence.DB) (kept int, err error) {
	value := make([]byte, 40<<10)
	for i := range 40 { // flushes on the way: more than two memtables of 256 KiB
		if err := db.Do(func() error { return db.Pebble.Set(fmt.Appendf(nil, "%04d", i), value, pebble.Sync) }); err != nil {
			return kept, err
		}
		kept = i + 1
	}
	if err := db.Do(db.Pebble.Flush); err != nil {
		return kept, err
	}
	return kept, db.Do(func() error { return db.Pebble.Compact(context.Background(), []byte("0"), []byte("9"), false) })
}

func options(f vfs.FS) *pebble.Options {
	return &pebble.Options{FS: f, MemTableSize: 256 << 10, FormatMajorVersion: pebble.FormatNewest}
}

// TestEveryWriteFails lets one write after the other fail: the error comes back,
// with the file in it, no call hangs, the process lives, and what was promised is
// there when the database is opened again.
func TestEveryWriteFails(t *testing.T) {
	const most = 2 * time.Minute // for a call that hangs
	for _, once := range []bool{false, true} {
		told, failed := 0, 0
		for pass := int64(0); ; pass++ {
			dir := filepath.Join(t.TempDir(), "db")
			f, writes := failing(pass, once)
			done := make(chan error, 1)
			kept := 0
			go func() {
				db, err := fence.Open(dir, options(f), nil)
				if err == nil {
					kept, err = work(db)
					err = errors.Join(err, db.Close())
				}
				done <- err
			}()
			var err error
			select {
			case err = <-done:
			case <-time.After(most):
				t.Fatalf("write %d failed: a call hangs", pass)
			}
			var path *fs.PathError
			if err != nil && (!errors.Is(err, syscall.ENOSPC) || !errors.As(err, &path)) {
				t.Fatalf("write %d failed: error %v, want the one injected", pass, err)
			}
			if err != nil {
				told++
			}
			failed++
			checkKept(t, dir, kept)
			if writes.Load() <= pass {
				t.Logf("once %v: %d writes failed, %d errors told", once, failed-1, told)
				break
			}
			if !*long {
				pass += 6
			}
		}
	}
}

// badCloses is a disk on which closing the file number at of those made fails.
type badCloses struct {
	vfs.FS
	at    int64
	count *atomic.Int64
}

func (b badCloses) made(f vfs.File, err error) (vfs.File, error) {
	if err != nil || b.count.Add(1) != b.at {
		return f, err
	}
	return badClose{f}, nil
}

func (b badCloses) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return b.made(b.FS.Create(name, c))
}

func (b badCloses) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return b.made(b.FS.ReuseForWrite(from, to, c))
}

type badClose struct{ vfs.File }

func (b badClose) Close() error { return errors.Join(b.File.Close(), syscall.EIO) }

// TestEveryCloseFails: the error comes back, the process lives, what was promised
// is kept. Without the fence Pebble ends the process where that is its log.
func TestEveryCloseFails(t *testing.T) {
	told := 0
	for at := int64(1); ; at++ {
		dir, made := filepath.Join(t.TempDir(), "db"), new(atomic.Int64)
		kept := 0
		db, err := fence.Open(dir, options(badCloses{vfs.Default, at, made}), nil)
		if err == nil {
			kept, err = work(db)
			err = errors.Join(err, db.Close())
		}
		if err != nil {
			told++
			if !errors.Is(err, syscall.EIO) {
				t.Errorf("file %d not closed: error %v", at, err)
			}
		}
		checkKept(t, dir, kept)
		if made.Load() < at {
			t.Logf("%d closes failed, %d errors told", at-1, told)
			return
		}
	}
}

// checkKept opens a database on a disk that is sound again.
func checkKept(t *testing.T, dir string, kept int) {
	t.Helper()
	db, err := fence.Open(dir, options(vfs.Default), nil)
	if err != nil && kept == 0 {
		return // its creation was cut short
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range kept {
		_, closer, err := db.Pebble.Get(fmt.Appendf(nil, "%04d", i))
		if err != nil {
			t.Fatalf("key %d of %d: %v", i, kept, err)
		}
		closer.Close()
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestPanicOfPebble: what op panics with becomes the error of this and all later
// calls.
func TestPanicOfPebble(t *testing.T) {
	db, err := fence.Open(filepath.Join(t.TempDir(), "db"), options(vfs.Default), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := db.Do(func() error { panic("no more") }); err == nil || err.Error() != "pebble gave up: no more" {
			t.Errorf("error %v", err)
		}
	}
	if err := db.Close(); err == nil {
		t.Error("closed without an error")
	}
}

// TestClosedByDrain: what Pebble still has open when it is abandoned, it may close,
// and learns of nothing; asking or writing, it is parked.
func TestClosedByDrain(t *testing.T) {
	opts := options(vfs.Default)
	dir := t.TempDir()
	db, err := fence.Open(filepath.Join(dir, "db"), opts, nil)
	if err != nil {
		t.Fatal(err)
	}
	behind := opts.FS // the fence's own since Open
	var made [3]vfs.File
	for i := range made {
		if made[i], err = behind.Create(filepath.Join(dir, fmt.Sprint(i)), vfs.WriteCategoryUnspecified); err != nil {
			t.Fatal(err)
		}
	}
	read, err := behind.Open(filepath.Join(dir, "0"))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Do(func() error { panic("no more") }); err == nil {
		t.Fatal("no error")
	}
	if err := db.Close(); err == nil {
		t.Fatal("closed without an error")
	}
	if err := errors.Join(read.Close(), made[0].Close()); err != nil {
		t.Errorf("closing: %v", err)
	}
	back := make(chan string, 2)
	go func() { made[1].Stat(); back <- "Stat" }()
	go func() { made[2].Write([]byte("x")); back <- "Write" }()
	select {
	case what := <-back:
		t.Errorf("%s came back", what)
	case <-time.After(100 * time.Millisecond):
	}
}

// TestExciseAfterFailedRead: Pebble drops keys beside an excised range where it
// cannot read their block. That must not reach the disk.
func TestExciseAfterFailedRead(t *testing.T) {
	const keys = 100
	key := func(i int) []byte { return fmt.Appendf(nil, "%04d", i) }
	told := 0
	for at := int64(1); ; at++ {
		dir := filepath.Join(t.TempDir(), "db")
		db, err := fence.Open(dir, options(vfs.Default), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range keys {
			if err := db.Do(func() error { return db.Pebble.Set(key(i), make([]byte, 1000), pebble.NoSync) }); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(db.Do(db.Pebble.Flush), db.Close()); err != nil {
			t.Fatal(err)
		}
		reads := new(atomic.Int64)
		disk := errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind == errorfs.OpFileReadAt && reads.Add(1) == at {
				return &fs.PathError{Op: "read", Path: op.Path, Err: syscall.EIO}
			}
			return nil
		}))
		if db, err = fence.Open(dir, options(disk), nil); err == nil {
			err = db.Do(func() error {
				return db.Pebble.Excise(context.Background(), pebble.KeyRange{Start: key(40), End: key(60)})
			})
			err = errors.Join(err, db.Close())
		}
		if err != nil {
			told++
			if !errors.Is(err, syscall.EIO) {
				t.Errorf("read %d failed: error %v", at, err)
			}
		}
		if db, err = fence.Open(dir, options(vfs.Default), nil); err != nil {
			t.Fatal(err)
		}
		for i := range keys {
			if _, closer, err := db.Pebble.Get(key(i)); err == nil {
				closer.Close()
			} else if i < 40 || i >= 60 {
				t.Fatalf("read %d failed: key %d is gone", at, i)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if reads.Load() < at {
			t.Logf("%d reads failed, %d errors told", at-1, told)
			return
		}
	}
}
