package store

import (
	"fmt"

	"github.com/knng/knng/store/internal/pebblefs"
	"github.com/knng/knng/store/internal/rooted"
)

// Progress says how far an unfinished build is.
type Progress struct {
	Manifest Manifest `json:"manifest"`
	State    []byte   `json:"-"`            // the builder's record, JSON
	Folded   uint32   `json:"folded_stage"` // the stage whose lists were folded last; 0: none
	Disk     int64    `json:"disk_bytes"`   // of the directory
	Written  bool     `json:"rows_written"` // the store has its rows: the input is not read again
}

// ProgressOf reads the state of an unfinished build that no process holds, which cannot go
// on meanwhile. It writes nothing. Errors: ErrNotStore, ErrLocked, ErrEarly, ErrCorrupt.
func ProgressOf(dir string) (*Progress, error) {
	if state, err := StateOf(dir); err != nil {
		return nil, err
	} else if err := isStore(dir, state); err != nil {
		return nil, err // and nothing is made there
	}
	home, err := openHome(dir)
	if err != nil {
		return nil, err
	}
	defer home.Close()
	lock, err := shareDir(home)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if early, err := home.Exists(earlyName); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	} else if early { // whose other files may be anything
		return nil, fmt.Errorf("%w: %s", ErrEarly, dir)
	}
	e, err := openUnfinished(home)
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
	p.Disk, err = dirBytes(home)
	return p, err
}

// openUnfinished opens the database of a build for reading.
func openUnfinished(home *rooted.Dir) (*engine, error) {
	return openEngine(pebblefs.Of(home), home.Path(graphName), 8<<20, toRead, nil)
}
