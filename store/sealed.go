package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/internal/pebblefs"
	"github.com/knng/knng/store/internal/rooted"
)

// An opener opens files below a directory, by their paths with slashes in between.
type opener interface {
	Open(rel string) (*os.File, error)
	Path(rel string) string // for messages
}

// sealed is a sealed folder, the store's own or that of its in-neighbors, as its seal lists
// it. It opens those files and no other: of the size that was sealed, regular, small ones
// only with the contents that were sealed, and later on only those that were there when it
// was opened itself. Large ones are known by the record "tables" (identity.go).
type sealed struct {
	*rooted.Dir
	files []SealedFile
	infos map[string]fs.FileInfo
}

// hashedBytes is the size up to which a file of the database is hashed whole when a store is
// opened, which takes a millisecond. Manifest, logs and the table of records are smaller.
const hashedBytes = 1 << 20

// openSealedDir reads the seal of a folder and looks at all files in it. It takes home over,
// also where there is an error.
func openSealedDir(home *rooted.Dir) (s *sealed, err error) {
	s = &sealed{Dir: home, infos: map[string]fs.FileInfo{}}
	if s.files, err = readSeal(home); err == nil {
		for _, f := range s.files {
			if err = s.look(f); err != nil {
				break
			}
		}
	}
	if err != nil {
		home.Close()
		return nil, err
	}
	return s, nil
}

// look compares a file with its entry in the seal.
func (s *sealed) look(f SealedFile) error {
	info, err := s.Dir.Lstat(f.Path)
	if err != nil {
		return damage(fmt.Errorf("sealed file is missing: %w", err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is no regular file", ErrCorrupt, s.Path(f.Path))
	}
	if info.Size() != f.Size {
		return fmt.Errorf("%w: %s: %d bytes, sealed with %d", ErrCorrupt, f.Path, info.Size(), f.Size)
	}
	s.infos[f.Path] = info
	if f.Size > hashedBytes || !strings.HasPrefix(f.Path, graphName+"/") {
		return nil
	}
	data, err := s.Dir.ReadFile(f.Path, hashedBytes)
	if err != nil {
		return damage(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 {
		return fmt.Errorf("%w: %s: contents differ from what was sealed (SHA-256 %x, want %s)", ErrCorrupt, s.Path(f.Path), sum, f.SHA256)
	}
	return nil
}

// Open opens a file that is sealed, if it is the one that was there when the store was
// opened.
func (s *sealed) Open(rel string) (*os.File, error) {
	before, listed := s.infos[rel]
	if !listed {
		return nil, &fs.PathError{Op: "open", Path: s.Path(rel), Err: errNotSealed}
	}
	f, err := s.Dir.Open(rel)
	if err != nil {
		return nil, err
	}
	now, err := f.Stat()
	if err == nil && (!os.SameFile(before, now) || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime())) {
		err = fmt.Errorf("%w: %s was replaced while the store is open", ErrCorrupt, s.Path(rel))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// errNotSealed is to Pebble as if the file were not there.
var errNotSealed error = notSealed{}

type notSealed struct{}

func (notSealed) Error() string        { return "not part of the sealed store" }
func (notSealed) Is(target error) bool { return target == fs.ErrNotExist }

// sealedFS is a sealed folder as Pebble sees a file system: files that are not sealed are not there,
// and nothing can be written.
type sealedFS struct {
	vfs.FS // of the folder
	s      *sealed
}

// FS hides that of the folder itself.
func (s *sealed) FS() vfs.FS { return sealedFS{pebblefs.Of(s.Dir), s} }

func (f sealedFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	rel, err := f.s.Rel(name)
	if err != nil {
		return nil, err
	}
	opened, err := f.s.Open(rel)
	if err != nil {
		return nil, err
	}
	return pebblefs.File(opened, opts...), nil
}

func (f sealedFS) List(dir string) (names []string, err error) {
	rel, err := f.s.Rel(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range f.s.files {
		if path.Dir(file.Path) == rel {
			names = append(names, path.Base(file.Path))
		}
	}
	return names, nil
}

// Lock takes none: a sealed store is never written, so any number may read it, also from a
// file system that cannot be written.
func (sealedFS) Lock(string) (io.Closer, error) { return io.NopCloser(bytes.NewReader(nil)), nil }

var errReadOnly = errors.New("store: a sealed store is not written")

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
