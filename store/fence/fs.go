package fence

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// fenced is the file system that Pebble is given. Errors of linking and removing
// pass: Pebble deals with them.
type fenced struct {
	vfs.FS
	db *DB

	writing sync.RWMutex // held for reading by each write in progress

	mu   sync.Mutex
	open map[io.Closer]io.Closer // what Pebble holds, and what is behind it
}

// write runs op unless the fence is closed, and closes it where op fails.
func (f *fenced) write(op func() error) {
	f.writing.RLock()
	if f.db.Err() != nil {
		f.writing.RUnlock()
		park()
	}
	err := op()
	f.writing.RUnlock()
	if err != nil {
		f.db.fail(err)
		park()
	}
}

// drain waits for the writes in progress, after which there are none, and closes
// all files.
func (f *fenced) drain() {
	f.writing.Lock()
	defer f.writing.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, behind := range f.open {
		behind.Close() // it is given up
	}
	clear(f.open)
}

// hold notes that Pebble was given c.
func (f *fenced) hold(c, behind io.Closer) {
	f.mu.Lock()
	f.open[c] = behind
	f.mu.Unlock()
}

// close closes c once, and the fence if that fails. Pebble never gets an error,
// neither of a failure nor of an earlier drain: changing its
// log, it panics with the error of a close (PEBBLE.md, 8).
func (f *fenced) close(c io.Closer) {
	f.mu.Lock()
	behind := f.open[c]
	delete(f.open, c)
	f.mu.Unlock()
	if behind == nil {
		return
	}
	if err := behind.Close(); err != nil {
		f.db.fail(err)
	}
}

// opened wraps a file that op opens.
func (f *fenced) opened(op func() (vfs.File, error)) (vfs.File, error) {
	v, err := op()
	if err != nil {
		return nil, err
	}
	o := &file{File: v, fs: f}
	f.hold(o, v)
	return o, nil
}

// created wraps a file that op makes.
func (f *fenced) created(op func() (vfs.File, error)) (v vfs.File, _ error) {
	f.write(func() (err error) {
		if v, err = f.opened(op); err == nil {
			v.(*file).made = true
		}
		return err
	})
	return v, nil
}

// Create syncs the folder before it makes a marker, the file by whose name
// Pebble knows its manifest. Pebble makes both and syncs the folder once: a crash
// may then leave a marker without its manifest, and a database that does not open.
func (f *fenced) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasPrefix(f.PathBase(name), "marker.") {
		if err := f.syncFolder(f.PathDir(name)); err != nil {
			return nil, err
		}
	}
	return f.created(func() (vfs.File, error) { return f.FS.Create(name, c) })
}

func (f *fenced) syncFolder(dir string) error {
	d, err := f.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (f *fenced) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return f.created(func() (vfs.File, error) { return f.FS.OpenReadWrite(name, c, opts...) })
}

func (f *fenced) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.created(func() (vfs.File, error) { return f.FS.ReuseForWrite(from, to, c) })
}

func (f *fenced) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return f.opened(func() (vfs.File, error) { return f.FS.Open(name, opts...) })
}

func (f *fenced) OpenDir(name string) (vfs.File, error) {
	return f.opened(func() (vfs.File, error) { return f.FS.OpenDir(name) })
}

func (f *fenced) Rename(from, to string) error {
	f.write(func() error { return f.FS.Rename(from, to) })
	return nil
}

func (f *fenced) MkdirAll(dir string, perm os.FileMode) error {
	f.write(func() error { return f.FS.MkdirAll(dir, perm) })
	return nil
}

// pass runs op unless the fence is closed; its errors are Pebble's to handle.
func (f *fenced) pass(op func() error) (err error) {
	f.write(func() error {
		err = op()
		return nil
	})
	return err
}

func (f *fenced) Link(from, to string) error {
	return f.pass(func() error { return f.FS.Link(from, to) })
}

func (f *fenced) Remove(name string) error {
	return f.pass(func() error { return f.FS.Remove(name) })
}

func (f *fenced) RemoveAll(name string) error {
	return f.pass(func() error { return f.FS.RemoveAll(name) })
}

// Lock keeps the lock where drain finds it.
func (f *fenced) Lock(name string) (io.Closer, error) {
	l, err := f.FS.Lock(name)
	if err != nil {
		return nil, err
	}
	held := &lock{f}
	f.hold(held, l)
	return held, nil
}

// lock is a lock behind the fence.
type lock struct{ fs *fenced }

func (l *lock) Close() error {
	l.fs.close(l)
	return nil
}

// Unwrap makes fenced a vfs.FS.
func (f *fenced) Unwrap() vfs.FS { return f.FS }

// file is an open file behind the fence.
type file struct {
	vfs.File
	fs   *fenced
	made bool // by created: only goroutines that write have it
}

// Fd is ordered with drain, which closes the file.
func (o *file) Fd() uintptr {
	o.fs.mu.Lock()
	defer o.fs.mu.Unlock()
	return o.File.Fd()
}

// Stat of a file just made may come after drain: like any failure of a file that
// is written, Pebble does not learn of it.
func (o *file) Stat() (vfs.FileInfo, error) {
	info, err := o.File.Stat()
	if err != nil && o.made {
		o.fs.db.fail(err)
		park()
	}
	return info, err
}

func (o *file) Close() error {
	o.fs.close(o)
	return nil
}

// read closes the fence where a read has failed, and passes the error on.
func (o *file) read(n int, err error) (int, error) {
	if err != nil && err != io.EOF {
		o.fs.db.fail(err)
	}
	return n, err
}

func (o *file) Read(p []byte) (int, error) { return o.read(o.File.Read(p)) }

func (o *file) ReadAt(p []byte, at int64) (int, error) { return o.read(o.File.ReadAt(p, at)) }

func (o *file) Write(p []byte) (n int, _ error) {
	o.fs.write(func() (err error) {
		n, err = o.File.Write(p)
		return err
	})
	return n, nil
}

func (o *file) WriteAt(p []byte, at int64) (n int, _ error) {
	o.fs.write(func() (err error) {
		n, err = o.File.WriteAt(p, at)
		return err
	})
	return n, nil
}

func (o *file) Sync() error {
	o.fs.write(o.File.Sync)
	return nil
}

func (o *file) SyncData() error {
	o.fs.write(o.File.SyncData)
	return nil
}

func (o *file) SyncTo(length int64) (full bool, _ error) {
	o.fs.write(func() (err error) {
		full, err = o.File.SyncTo(length)
		return err
	})
	return full, nil
}
