package pieces

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/knng/knng/vectors/aside"
	"github.com/knng/knng/vectors/objects"
)

// A Folder holds the pieces of a run under slash-separated names.
type Folder interface {
	// Create begins a file that gets its name, whole and durable, by Commit.
	Create(name string) (File, error)
	// Open opens a file; if there is none the error is fs.ErrNotExist.
	Open(name string) (ReadFile, error)
	// List returns the names of the files directly below a name; none if it does not exist.
	List(name string) ([]string, error)
	// Remove removes all files below a name.
	Remove(name string) error
}

// A File is being written. Its content may be written in any order.
type File interface {
	io.WriterAt
	Commit() error
	Abort() error // drops the file; after Commit it does nothing
}

// A ReadFile is open for reading.
type ReadFile interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Local is a folder of a file system.
type Local string

func (l Local) path(name string) string { return filepath.Join(string(l), filepath.FromSlash(name)) }

// Create makes the folders that the name needs.
func (l Local) Create(name string) (File, error) {
	path := l.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("pieces: %w", err)
	}
	f, err := aside.Create(path)
	if err != nil {
		return nil, fmt.Errorf("pieces: %w", err)
	}
	return localFile{f}, nil
}

type localFile struct{ *aside.File }

func (f localFile) WriteAt(p []byte, at int64) (int, error) { return f.File.WriteAt(p, at) }

// Open opens a file.
func (l Local) Open(name string) (ReadFile, error) {
	f, err := os.Open(l.path(name))
	if err != nil {
		return nil, fmt.Errorf("pieces: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pieces: %w", err), f.Close())
	}
	return &localReader{f, info.Size()}, nil
}

type localReader struct {
	*os.File
	size int64
}

func (r *localReader) Size() int64 { return r.size }

// List leaves out unfinished files.
func (l Local) List(name string) (names []string, err error) {
	entries, err := os.ReadDir(l.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("pieces: %w", err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".tmp") && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Remove also removes unfinished files. It may leave files that others write there meanwhile, such as a late
// attempt, and those that a file system keeps while they are open (NFS).
func (l Local) Remove(name string) error {
	err := os.RemoveAll(l.path(name))
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.EBUSY) { // ErrExist: the folder is not empty
		return nil
	}
	return fmt.Errorf("pieces: %w", err)
}

// At returns the folder at a path of this machine, or at the address of an object store.
func At(path string) Folder {
	if objects.Is(path) {
		return Objects(path)
	}
	return Local(path)
}

// Join returns a path below a folder.
func Join(folder, name string) string {
	if objects.Is(folder) {
		return Objects(folder).at(name)
	}
	return filepath.Join(folder, name)
}
