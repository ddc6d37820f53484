package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/knng/knng/store/internal/pebblefs"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/sealed"
)

// Names of derived files that other packages keep in the directory of a store. They are not sealed and may be
// deleted. Anyone may have replaced them, so readers check them against the graph.
const (
	DerivedLinks = searchName + "/links" // of package search
	DerivedCodes = searchName + "/codes" // likewise
	DerivedRows  = searchName + "/rows"  // likewise
	DerivedMap   = mapName               // of the command: a picture of the graph

	derivedMoved = scratchName + "/" + movedName
)

// errNotDerived refuses all other names.
var errNotDerived = errors.New("store: not the name of a derived file")

// derived are the names of all derived files.
var derived = []string{DerivedLinks, DerivedCodes, DerivedRows, DerivedMap, derivedMoved}

// OpenDerived opens a derived file by its name (DerivedLinks, DerivedCodes, DerivedRows, DerivedMap) in the
// directory that Open opened, even if that has been renamed. Errors: fs.ErrNotExist; ErrClosed; an error if
// the name is a link, a pipe or another kind of file.
func (s *Store) OpenDerived(name string) (*os.File, error) {
	if !s.graph.Enter() {
		return nil, ErrClosed
	}
	defer s.graph.Leave()
	if !slices.Contains(derived, name) {
		return nil, fmt.Errorf("%w: %q", errNotDerived, name)
	}
	f, err := s.home.Dir.Open(name)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return f, nil
}

// A Derived is an unfinished derived file in a store's directory.
type Derived struct {
	*os.File // nil once closed
	home     *rooted.Dir
	aside    string // its name until it is whole
	name     string
}

// MakeDerived begins a derived file under a temporary name; Commit gives it its name. The caller ends it with
// Commit or Abort before closing the store. Errors: ErrClosed.
func (s *Store) MakeDerived(name string) (*Derived, error) {
	if !s.graph.Enter() {
		return nil, ErrClosed
	}
	defer s.graph.Leave()
	return s.makeDerived(name)
}

// makeDerived is MakeDerived within a call.
func (s *Store) makeDerived(name string) (*Derived, error) {
	if !slices.Contains(derived, name) {
		return nil, fmt.Errorf("%w: %q", errNotDerived, name)
	}
	home := s.home.Dir
	for _, folder := range []string{scratchName, path.Dir(name)} {
		if err := home.MkdirAll(folder, 0o777); err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
	}
	aside := fmt.Sprintf("%s/%s.%s.tmp", scratchName, path.Base(name), strconv.FormatUint(rand.Uint64(), 36))
	f, err := home.Create(aside)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return &Derived{f, home, aside, name}, nil
}

// Commit syncs the file and gives it its name, in place of the file that has it.
func (d *Derived) Commit() error {
	f := d.File
	d.File = nil
	err := errors.Join(f.Sync(), f.Close())
	if err == nil {
		err = d.home.Rename(d.aside, d.name)
	}
	if err != nil {
		return fmt.Errorf("store: %w", errors.Join(err, d.home.Remove(d.aside)))
	}
	return syncDir(pebblefs.Of(d.home), d.home.Path(path.Dir(d.name)))
}

// Abort removes the unfinished file; after Commit it does nothing.
func (d *Derived) Abort() {
	if d.File == nil {
		return
	}
	d.File.Close()
	d.File = nil
	_ = d.home.Remove(d.aside) // where it stays, it lies among scratch files
}

// ScratchOf returns the folder for the scratch files of a build in dir. Neither need exist yet. It is an error if a
// link, or another kind of file, has the folder's name.
func ScratchOf(dir string) (string, error) {
	scratch := filepath.Join(dir, scratchName)
	info, err := os.Lstat(scratch)
	if sealed.Missing(err) {
		return scratch, nil
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%w: %s is no folder", ErrNotStore, scratch)
	}
	return scratch, err
}

// dropDerived removes a derived file, where there is one.
func (s *Store) dropDerived(name string) error {
	if err := s.home.Dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}
