// Package aside writes files and folders under temporary names and renames them when they
// are whole: nobody reads half of one, and a file that had the name keeps it until then.
//
// The temporary name is in the same folder, since a rename cannot cross file systems. It is
// the final name, a random word and ".tmp": no existing file is touched, and two processes
// that write the same file do not meet. A process that is killed leaves its temporary file.
package aside

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A File is being written, or written and not named yet.
type File struct {
	*os.File        // nil once settled
	path     string // the name that it is to have
	name     string // the one that it has; "" when that is path, or it is gone
}

// Create begins a file that is to be called path. It belongs to the caller, who ends it by
// Commit, or by Settle and Rename, or by Abort. Errors are those of the system.
func Create(path string) (*File, error) {
	var f *os.File
	name, err := vacant(path, func(name string) (err error) {
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &File{f, path, name}, nil
}

// Over is Create for a folder that nobody else writes to: the temporary name is path.tmp, and a file
// that a killed process left under that name is replaced.
func Over(path string) (*File, error) {
	name := path + ".tmp"
	f, err := Fresh(name)
	if err != nil {
		return nil, err
	}
	return &File{f, path, name}, nil
}

// Fresh makes an empty file in place of a file or link of that name. Unlike os.Create it never opens
// an existing file: a link in a stranger's folder may lead to any file.
func Fresh(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// Mkdir makes a folder beside path and returns its name.
func Mkdir(path string) (name string, err error) {
	return vacant(path, func(name string) error { return os.Mkdir(name, 0o777) })
}

// vacant calls create with unused names until one succeeds. Errors name path, not the unused name,
// which means nothing to the user.
func vacant(path string, create func(name string) error) (name string, err error) {
	for range 100 {
		name = fmt.Sprintf("%s.%s.tmp", shortened(path), strconv.FormatUint(rand.Uint64(), 36))
		if err = create(name); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) && failed.Path == name {
		failed.Path = path
	}
	return name, err
}

// shortened returns path with its name cut, so that a temporary name made of it has at most the 255
// bytes that systems allow.
func shortened(path string) string {
	const most = 255 - len(".3w5e11264sgsf.tmp") // of the longest word
	folder, name := filepath.Split(path)
	if len(name) <= most {
		return path
	}
	return folder + strings.ToValidUTF8(name[:most], "")
}

// Commit syncs and closes the file, gives it its name and makes that durable.
func (f *File) Commit() error {
	if err := f.Settle(); err != nil {
		return err
	}
	if err := f.Rename(); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(f.path))
}

// Settle syncs and closes the file, which keeps its name. It is for several files that get
// theirs together.
func (f *File) Settle() error {
	file := f.File
	f.File = nil
	return errors.Join(file.Sync(), file.Close())
}

// Rename gives a settled file its name, and replaces a file that has it.
func (f *File) Rename() error {
	if err := os.Rename(f.name, f.path); err != nil {
		return err
	}
	f.name = ""
	return nil
}

// Abort closes and removes a file that is not yet renamed; after Rename, Commit or Abort it
// does nothing.
func (f *File) Abort() error {
	if f.File != nil {
		f.File.Close() // its error does not matter: the file is removed
		f.File = nil
	}
	if f.name == "" {
		return nil
	}
	err := os.Remove(f.name)
	f.name = ""
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
