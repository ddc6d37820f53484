// Package disk has the few operations on one folder with which a living store writes. Tests replace them by
// operations that fail, or that record which bytes a crash may lose.
package disk

import (
	"errors"
	"io"
	"os"

	"github.com/knng/knng/store/internal/pebblefs"
	"github.com/knng/knng/store/internal/rooted"
)

// FS is a folder that is written to. Names are relative to it, with slashes.
type FS interface {
	Create(name string) (File, error) // a new file, replacing one of that name
	Edit(name string) (File, error)   // an existing file
	Rename(from, to string) error
	RemoveAll(name string) error // no error if there is none
	Mkdir(name string) error     // no error if it exists
	SyncFolder(name string) error
}

// File is an open file.
type File interface {
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	SyncData() error // syncs at least the contents and the size
	Close() error
}

// In returns the operations on a folder of the system.
func In(dir *rooted.Dir) FS { return folder{dir} }

type folder struct{ dir *rooted.Dir }

type file struct{ *os.File }

func (f file) SyncData() error { return pebblefs.File(f.File).SyncData() }

func (d folder) Create(name string) (File, error) {
	f, err := d.dir.Create(name)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

func (d folder) Edit(name string) (File, error) {
	f, err := d.dir.Edit(name)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

func (d folder) Rename(from, to string) error {
	return d.dir.Rename(from, to)
}

func (d folder) RemoveAll(name string) error { return d.dir.RemoveAll(name) }
func (d folder) Mkdir(name string) error     { return d.dir.MkdirAll(name, 0o777) }

func (d folder) SyncFolder(name string) error {
	f, err := d.dir.OpenFolder(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Write makes a file with these bytes, durable under its name when it returns.
func Write(fs FS, folder, name string, data []byte) error {
	if err := Prepare(fs, folder, name, data); err != nil {
		return err
	}
	return Commit(fs, folder, name)
}

// Prepare makes a file with these bytes next to its name. If it fails, the file of that name is unchanged.
func Prepare(fs FS, folder, name string, data []byte) error {
	path := folder + "/" + name
	f, err := fs.Create(path + ".tmp")
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(data, 0); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(f.Sync(), f.Close())
}

// Commit gives a prepared file its name, durably when it returns.
func Commit(fs FS, folder, name string) error {
	path := folder + "/" + name
	if err := fs.Rename(path+".tmp", path); err != nil {
		return err
	}
	return fs.SyncFolder(folder)
}
