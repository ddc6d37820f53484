package rooted

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// List returns the names in a folder, sorted.
func (d *Dir) List(rel string) ([]string, error) {
	f, err := d.openFolder(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, d.named(rel, err)
}

func (d *Dir) openFolder(rel string) (*os.File, error) {
	if err := d.folder(rel); err != nil {
		return nil, err
	}
	f, err := d.root.Open(rel)
	return f, d.named(rel, err)
}

// RemoveAll removes the file or folder of a name, with all below it; links go, their targets stay.
func (d *Dir) RemoveAll(rel string) error {
	err := d.above(rel)
	if err == nil {
		err = d.root.RemoveAll(rel)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.named(rel, err)
}

// Remove removes a file, a link or an empty folder.
func (d *Dir) Remove(rel string) error {
	err := d.above(rel)
	if err == nil {
		err = d.root.Remove(rel)
	}
	return d.named(rel, err)
}

// MkdirAll makes a folder and those that it lies in.
func (d *Dir) MkdirAll(rel string, perm os.FileMode) error {
	err := d.above(rel)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = d.root.MkdirAll(rel, perm)
	}
	if err == nil {
		err = d.folder(rel)
	}
	return d.named(rel, err)
}

// FS is the directory as Pebble sees a file system. Its names are paths: all begin with the
// name of the directory. Files are not made longer beforehand (Preallocate), so that one
// takes the disk that its size says.
func (d *Dir) FS() vfs.FS { return files{d} }

type files struct{ d *Dir }

// rel is a path below the directory.
func (f files) rel(name string) (string, error) {
	rel, err := filepath.Rel(f.d.name, name)
	if err == nil && !filepath.IsLocal(rel) {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return filepath.ToSlash(rel), err
}

// Rel is a path below the directory, with slashes.
func (d *Dir) Rel(name string) (string, error) { return files{d}.rel(name) }

// at opens the file that an operation returns for a path.
func (f files) at(name string, op func(rel string) (*os.File, error)) (vfs.File, error) {
	rel, err := f.rel(name)
	if err != nil {
		return nil, err
	}
	opened, err := op(rel)
	if err != nil {
		return nil, err
	}
	return &file{opened}, nil
}

func (f files) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return f.at(name, f.d.Create)
}

func (f files) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return tuned(opts)(f.at(name, f.d.Open))
}

func (f files) OpenReadWrite(name string, _ vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return tuned(opts)(f.at(name, f.d.Edit))
}

func (f files) OpenDir(name string) (vfs.File, error) { return f.at(name, f.d.openFolder) }

// File is an open file as Pebble sees one.
func File(f *os.File, opts ...vfs.OpenOption) vfs.File {
	opened, _ := tuned(opts)(&file{f}, nil)
	return opened
}

// tuned applies options to a file that was opened.
func tuned(opts []vfs.OpenOption) func(vfs.File, error) (vfs.File, error) {
	return func(f vfs.File, err error) (vfs.File, error) {
		if err == nil {
			for _, o := range opts {
				o.Apply(f)
			}
		}
		return f, err
	}
}

func (f files) ReuseForWrite(from, to string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.Rename(from, to); err != nil {
		return nil, err
	}
	return f.at(to, func(rel string) (*os.File, error) { return f.d.open(rel, os.O_RDWR) })
}

// with runs an operation on a path.
func (f files) with(name string, op func(rel string) error) error {
	rel, err := f.rel(name)
	if err != nil {
		return err
	}
	return op(rel)
}

// both runs an operation on two paths.
func (f files) both(from, to string, op func(from, to string) error) error {
	return f.with(from, func(a string) error {
		return f.with(to, func(b string) error {
			if err := errors.Join(f.d.above(a), f.d.above(b)); err != nil {
				return err
			}
			err := op(a, b)
			var link *os.LinkError
			if errors.As(err, &link) {
				err = &os.LinkError{Op: link.Op, Old: from, New: to, Err: link.Err}
			}
			return err
		})
	})
}

func (f files) Link(from, to string) error   { return f.both(from, to, f.d.root.Link) }
func (f files) Rename(from, to string) error { return f.both(from, to, f.d.root.Rename) }
func (f files) Remove(name string) error     { return f.with(name, f.d.Remove) }
func (f files) RemoveAll(name string) error  { return f.with(name, f.d.RemoveAll) }

func (f files) MkdirAll(name string, perm os.FileMode) error {
	return f.with(name, func(rel string) error { return f.d.MkdirAll(rel, perm) })
}

// Lock locks a file against other processes, and other locks of this one.
func (f files) Lock(name string) (io.Closer, error) {
	rel, err := f.rel(name)
	if err != nil {
		return nil, err
	}
	held, err := f.d.Edit(rel)
	if err != nil {
		return nil, err
	}
	ok, err := TryLock(held)
	if err == nil && !ok {
		err = &fs.PathError{Op: "lock", Path: name, Err: errHeld}
	}
	if err != nil {
		held.Close()
		return nil, err
	}
	return held, nil
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

// described is a description as Pebble wants it. Nobody asks for the device.
type described struct{ fs.FileInfo }

func (described) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }

// file is an open file or folder as Pebble sees it.
type file struct{ *os.File }

// Preallocate does nothing: logs of kilobytes would take megabytes of disk.
func (*file) Preallocate(_, _ int64) error { return nil }

func (f *file) Stat() (vfs.FileInfo, error) {
	info, err := f.File.Stat()
	return described{info}, err
}
