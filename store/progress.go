package store

import (
	"fmt"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Progress says how far an unfinished build is.
type Progress struct {
	Manifest Manifest `json:"manifest"`
	State    []byte   `json:"-"` // the builder's record, JSON
	Folded   uint32   `json:"folded_stage"`
	Disk     int64    `json:"disk_bytes"`
	Written  bool     `json:"rows_written"` // the store has its rows: the input is not read again
}

// ProgressOf reads the state of an unfinished build that no process holds. It takes the
// build's lock meanwhile, for which it writes a file. Errors: ErrNotStore, ErrLocked,
// ErrCorrupt.
func ProgressOf(dir string) (*Progress, error) {
	if state, err := StateOf(dir); err != nil {
		return nil, err
	} else if err := isStore(dir, state); err != nil {
		return nil, err // and nothing is made there
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	e, err := openUnfinished(dir)
	if err != nil {
		return nil, err
	}
	defer e.close()
	p := new(Progress)
	ok, err := e.load("manifest", &p.Manifest)
	if err == nil && !ok {
		err = fmt.Errorf("%w: %s has no manifest", ErrCorrupt, dir)
	}
	if err != nil {
		return nil, err
	}
	if p.State, _, err = e.get(recordKey("state")); err != nil {
		return nil, err
	}
	if _, err = e.load(foldedRecord, &p.Folded); err != nil {
		return nil, err
	}
	var places int
	ordered, err := e.load("order", &places)
	if err != nil {
		return nil, err
	}
	p.Written = ordered && p.Manifest.Vectors == "copy"
	p.Disk, err = dirBytes(dir)
	return p, err
}

// openUnfinished opens the database of a build for reading.
func openUnfinished(dir string) (*engine, error) {
	return openEngine(vfs.Default, filepath.Join(dir, graphName), 8<<20, toRead, nil)
}
