// Package rooted opens files below one directory, whoever filled it.
//
// A directory is opened once. All that is done below it afterwards goes through that
// handle (os.Root): the directory may be renamed, or its name may come to mean another, and
// the files stay those of the one opened. Within it no symbolic link is followed, and only
// regular files are opened, so that a store from a stranger can neither reach a file
// outside nor make a reader wait for a pipe or read a device for ever. The name of the
// directory itself may be a link.
package rooted

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/knng/knng/store/internal/storeerr"
)

// ErrKind says that a name is of something else than a regular file or a folder, or of one
// of these where the other is wanted.
var ErrKind = errors.New("not what belongs there")

// A Dir is an open directory. It is safe for concurrent use.
type Dir struct {
	root *os.Root
	name string
}

// Open opens a directory. Errors name it. A pipe in its place is not opened, which would wait for a writer.
func Open(name string) (*Dir, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return nil, storeerr.NoFolder(name, fs.ErrInvalid)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, storeerr.NoFolder(name, err)
	}
	return &Dir{root, filepath.Clean(name)}, nil
}

// Sub opens a folder of the directory as one of its own.
func (d *Dir) Sub(rel string) (*Dir, error) {
	if err := d.folder(rel); err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(rel)
	if err != nil {
		return nil, d.named(rel, err)
	}
	return &Dir{root, d.Path(rel)}, nil
}

// Name is that of the directory, as it was opened.
func (d *Dir) Name() string { return d.name }

// Path is the path of a file, for messages.
func (d *Dir) Path(rel string) string { return filepath.Join(d.name, filepath.FromSlash(rel)) }

// Close gives the handle back. Files that were opened stay open.
func (d *Dir) Close() error { return d.root.Close() }

// Lstat describes a file or folder, or a link itself. The folders above are none.
func (d *Dir) Lstat(rel string) (fs.FileInfo, error) {
	if err := d.above(rel); err != nil {
		return nil, err
	}
	info, err := d.root.Lstat(rel)
	return info, d.named(rel, err)
}

// Exists reports whether there is anything of that name.
func (d *Dir) Exists(rel string) (bool, error) {
	_, err := d.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Open opens a regular file for reading.
func (d *Dir) Open(rel string) (*os.File, error) { return d.open(rel, os.O_RDONLY) }

// Edit opens a regular file for reading and writing, as it is, and makes an empty one where
// there is none.
func (d *Dir) Edit(rel string) (*os.File, error) {
	for {
		f, err := d.open(rel, os.O_RDWR)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		f, err = d.root.OpenFile(rel, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, d.named(rel, err)
		}
	}
}

// Create makes a new file in place of the one that has the name. A folder that is not
// empty stays.
func (d *Dir) Create(rel string) (*os.File, error) {
	if err := d.above(rel); err != nil {
		return nil, err
	}
	for {
		f, err := d.root.OpenFile(rel, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, d.named(rel, err)
		}
		if err := d.root.Remove(rel); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, d.named(rel, err)
		}
	}
}

// ReadFile reads a regular file of at most limit bytes.
func (d *Dir) ReadFile(rel string, limit int64) ([]byte, error) {
	f, err := d.Open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%w: %s has more than %d bytes", ErrKind, d.Path(rel), limit)
	}
	return data, err
}

// open opens a regular file: the very one that it looked at. Where a writer renames another file to
// that name meanwhile, it looks again.
func (d *Dir) open(rel string, flag int) (f *os.File, err error) {
	for range 100 {
		if f, err = d.openOnce(rel, flag); !errors.Is(err, errReplaced) {
			break
		}
	}
	return f, err
}

// errReplaced says that a name came to be that of another file.
var errReplaced = fmt.Errorf("%w: replaced while it was opened", ErrKind)

func (d *Dir) openOnce(rel string, flag int) (*os.File, error) {
	before, err := d.Lstat(rel)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, d.kind(rel, before, "a regular file")
	}
	f, err := d.root.OpenFile(rel, flag, 0)
	if err != nil {
		return nil, d.named(rel, err)
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = fmt.Errorf("%w: %s", errReplaced, d.Path(rel))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// above looks at the folders that a name lies in.
func (d *Dir) above(rel string) error {
	for i, c := range rel {
		if c == '/' {
			if err := d.folder(rel[:i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// folder is nil where a name is of a folder in folders.
func (d *Dir) folder(rel string) error {
	if rel == "." {
		return nil
	}
	info, err := d.Lstat(rel)
	if err == nil && !info.IsDir() {
		err = d.kind(rel, info, "a folder")
	}
	return err
}

func (d *Dir) kind(rel string, info fs.FileInfo, want string) error {
	return fmt.Errorf("%w: %s is %s, want %s", ErrKind, d.Path(rel), kindOf(info.Mode()), want)
}

// kindOf names the kind of a file in words.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "neither a file nor a folder"
}

// Kind names the kind of a file in words; "" for a regular file or a folder.
func Kind(mode fs.FileMode) string {
	if mode.IsRegular() || mode.IsDir() {
		return ""
	}
	return kindOf(mode)
}

// named gives an error of the system the path that people know.
func (d *Dir) named(rel string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return &fs.PathError{Op: path.Op, Path: d.Path(rel), Err: path.Err}
	}
	return err
}

// Walk calls fn for all below a folder, in order, but follows no link. Where fn returns
// fs.SkipDir for a folder, it is left out. Files that go while it walks are passed over.
func (d *Dir) Walk(rel string, fn func(rel string, info fs.FileInfo) error) error {
	names, err := d.List(rel)
	if err != nil {
		return err
	}
	for _, name := range names {
		at := path.Join(rel, name)
		info, err := d.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = fn(at, info)
		}
		if err == nil && info.IsDir() {
			err = d.Walk(at, fn)
		}
		switch {
		case info != nil && info.IsDir() && (errors.Is(err, fs.SkipDir) || errors.Is(err, fs.ErrNotExist)):
		case err != nil:
			return err
		}
	}
	return nil
}
