// Package pebblefs shows a directory (package rooted) to Pebble as a file system.
package pebblefs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/internal/rooted"
)

// Of returns d as a file system. Names in it are paths that begin with the name of d. It
// does not preallocate, so that a file takes as much of the disk as its size says.
func Of(d *rooted.Dir) vfs.FS { return files{d} }

type files struct{ d *rooted.Dir }

// File returns an open file as Pebble expects one.
func File(f *os.File, opts ...vfs.OpenOption) vfs.File {
	opened := &file{f}
	for _, o := range opts {
		o.Apply(opened)
	}
	return opened
}

// at opens a file by its path.
func (f files) at(name string, op func(rel string) (*os.File, error), opts ...vfs.OpenOption) (vfs.File, error) {
	rel, err := f.d.Rel(name)
	if err != nil {
		return nil, err
	}
	opened, err := op(rel)
	if err != nil {
		return nil, err
	}
	return File(opened, opts...), nil
}

func (f files) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return f.at(name, f.d.Create)
}

func (f files) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return f.at(name, f.d.Open, opts...)
}

func (f files) OpenReadWrite(name string, _ vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return f.at(name, f.d.Edit, opts...)
}

func (f files) OpenDir(name string) (vfs.File, error) { return f.at(name, f.d.OpenFolder) }

// ReuseForWrite empties the file as well. Pebble would write over it, and a finished store would keep
// the rest of a log that was longer.
func (f files) ReuseForWrite(from, to string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.Rename(from, to); err != nil {
		return nil, err
	}
	return f.at(to, func(rel string) (*os.File, error) {
		log, err := f.d.Edit(rel)
		if err != nil {
			return nil, err
		}
		if err := log.Truncate(0); err != nil {
			return nil, errors.Join(err, log.Close())
		}
		return log, nil
	})
}

// with runs op on a path below the directory.
func (f files) with(name string, op func(rel string) error) error {
	rel, err := f.d.Rel(name)
	if err != nil {
		return err
	}
	return op(rel)
}

// both runs op on two paths below the directory, and names them in its errors as Pebble
// did.
func (f files) both(from, to string, op func(from, to string) error) error {
	return f.with(from, func(a string) error {
		return f.with(to, func(b string) error {
			err := op(a, b)
			var link *os.LinkError
			if errors.As(err, &link) {
				err = &os.LinkError{Op: link.Op, Old: from, New: to, Err: link.Err}
			}
			return err
		})
	})
}

func (f files) Link(from, to string) error   { return f.both(from, to, f.d.Link) }
func (f files) Rename(from, to string) error { return f.both(from, to, f.d.Rename) }
func (f files) Remove(name string) error     { return f.with(name, f.d.Remove) }
func (f files) RemoveAll(name string) error  { return f.with(name, f.d.RemoveAll) }

func (f files) MkdirAll(name string, perm os.FileMode) error {
	return f.with(name, func(rel string) error { return f.d.MkdirAll(rel, perm) })
}

// Lock locks a file against other processes, and against other locks of this process.
func (f files) Lock(name string) (io.Closer, error) {
	rel, err := f.d.Rel(name)
	if err != nil {
		return nil, err
	}
	held, err := f.d.Edit(rel)
	if err != nil {
		return nil, err
	}
	ok, err := rooted.TryLock(held)
	if err == nil && !ok {
		err = &fs.PathError{Op: "lock", Path: name, Err: errHeld}
	}
	if err != nil {
		held.Close()
		return nil, err
	}
	return rooted.Locked{File: held}, nil
}

var errHeld = errors.New("another process holds it")

func (f files) List(name string) (names []string, err error) {
	err = f.with(name, func(rel string) error {
		names, err = f.d.List(rel)
		return err
	})
	return names, err
}

func (f files) Stat(name string) (info vfs.FileInfo, err error) {
	err = f.with(name, func(rel string) error {
		found, err := f.d.Lstat(rel)
		info = described{found}
		return err
	})
	return info, err
}

func (files) PathBase(name string) string    { return filepath.Base(name) }
func (files) PathJoin(elem ...string) string { return filepath.Join(elem...) }
func (files) PathDir(name string) string     { return filepath.Dir(name) }
func (files) Unwrap() vfs.FS                 { return nil }
func (f files) GetDiskUsage(name string) (vfs.DiskUsage, error) {
	return vfs.Default.GetDiskUsage(name)
}

// described is a file's description as Pebble expects it. Pebble never reads the device.
type described struct{ fs.FileInfo }

func (described) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }

// file is an open file or folder as Pebble expects it.
type file struct{ *os.File }

// Preallocate does nothing: logs of kilobytes would take megabytes of disk.
func (*file) Preallocate(_, _ int64) error { return nil }

func (f *file) Stat() (vfs.FileInfo, error) {
	info, err := f.File.Stat()
	return described{info}, err
}
