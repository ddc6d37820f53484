package store

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/internal/pebblefs"
	"github.com/knng/knng/store/internal/sealed"
)

// sealedFS shows a sealed directory to Pebble: only sealed files exist in it, and it cannot
// be written.
type sealedFS struct {
	vfs.FS // of the directory
	home   *sealed.Dir
}

func sealedFiles(home *sealed.Dir) vfs.FS { return sealedFS{pebblefs.Of(home.Dir), home} }

func (f sealedFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	rel, err := f.home.Rel(name)
	if err != nil {
		return nil, err
	}
	opened, err := f.home.Open(rel)
	if err != nil {
		return nil, err
	}
	return pebblefs.File(opened, opts...), nil
}

func (f sealedFS) List(dir string) (names []string, err error) {
	rel, err := f.home.Rel(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range f.home.Files {
		if path.Dir(file.Path) == rel {
			names = append(names, path.Base(file.Path))
		}
	}
	return names, nil
}

// Lock takes no lock: nobody writes a sealed store, so any number of processes may read it,
// also from a file system that is read-only.
func (sealedFS) Lock(string) (io.Closer, error) { return io.NopCloser(bytes.NewReader(nil)), nil }

var errReadOnly = errors.New("store: a sealed store is read-only")

func (sealedFS) Create(string, vfs.DiskWriteCategory) (vfs.File, error) { return nil, errReadOnly }
func (sealedFS) Link(string, string) error                              { return errReadOnly }
func (sealedFS) Remove(string) error                                    { return errReadOnly }
func (sealedFS) RemoveAll(string) error                                 { return errReadOnly }
func (sealedFS) Rename(string, string) error                            { return errReadOnly }
func (sealedFS) MkdirAll(string, os.FileMode) error                     { return errReadOnly }
func (sealedFS) OpenReadWrite(string, vfs.DiskWriteCategory, ...vfs.OpenOption) (vfs.File, error) {
	return nil, errReadOnly
}
func (sealedFS) ReuseForWrite(string, string, vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, errReadOnly
}
