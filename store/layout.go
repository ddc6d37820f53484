package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/knng/knng/store/internal/catalog"
	"github.com/knng/knng/store/internal/livefiles"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/store/internal/view"
)

// Names inside a store's directory; see the package comment.
const (
	graphName   = sealed.GraphName
	vectorsName = "vectors"
	rowsName    = "rows"
	scratchName = "scratch"
	reverseName = "reverse"
	viewName    = view.Name
	catalogName = catalog.Name
	searchName  = "search"
	mapName     = "map"            // of the command: a picture of the graph, derived
	livingName  = livefiles.Folder // of package living: rows put and deleted since
	sealName    = sealed.SealName
	newSuffix   = ".new"
	tablesName  = "tables" // in the folder of a database: tables on their way into it

	rowsPath = sealed.RowsPath
)

// State is the state of a directory.
type State string

// States of a directory.
const (
	Absent     State = "absent"     // nothing, or an empty folder, or a build that had not begun
	Unfinished State = "unfinished" // a build to be continued
	Finished   State = "finished"   // a sealed store
	Other      State = "other"      // something else
)

// StateOf looks at a directory without opening the database.
func StateOf(dir string) (State, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if plain := storeerr.NoFolder(dir, err); errors.Is(plain, ErrNotStore) {
			return Other, plain
		}
		if errors.Is(err, fs.ErrNotExist) {
			return Absent, nil
		}
		return Other, fmt.Errorf("store: %w", err)
	}
	state, early := Absent, false
	for _, e := range entries {
		switch e.Name() {
		case sealName:
			return Finished, nil
		case graphName:
			state = Unfinished
		case earlyName:
			early = true
		case scratchName, graphName + newSuffix, sealName + newSuffix:
		default:
			if state == Absent && (e.Name() != vectorsName || !holdsRowsOnly(filepath.Join(dir, vectorsName))) {
				state = Other
			}
		}
	}
	if early { // after a crash any of its files may be missing
		state = Unfinished
	}
	return state, nil
}

// holdsRowsOnly reports whether a folder called vectors may be that of a store, not the
// user's own.
func holdsRowsOnly(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != rowsName && e.Name() != rowsName+newSuffix
	})
}

// isFinished returns nil if a directory holds a finished store, otherwise an error that
// names its state.
func isFinished(dir string) error {
	state, err := StateOf(dir)
	switch {
	case err != nil:
		return err
	case state == Unfinished:
		return fmt.Errorf("%w: %s; give its build command again to continue it", ErrNotFinished, dir)
	}
	return isStore(dir, state)
}

// isStore is nil where a directory in that state holds a store, finished or not.
func isStore(dir string, state State) error {
	switch state {
	case Absent:
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %s does not exist", storeerr.ErrAbsent, dir)
		}
		return fmt.Errorf("%w: %s is empty", ErrNotStore, dir)
	case Other:
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(livefiles.Current))); err == nil {
			return livefiles.Error(dir)
		}
		return fmt.Errorf("%w: %s has other files in it, and no graph", ErrNotStore, dir)
	}
	return nil
}

// walkFiles calls fn for all files below a store's directory with their slash-separated
// paths, but for scratch files, in-neighbors, which have a seal of their own, and the files
// of packages search and living. It passes over files that Pebble removes meanwhile.
func walkFiles(home *rooted.Dir, fn func(rel string, info fs.FileInfo) error) error {
	return home.Walk(".", func(rel string, info fs.FileInfo) error {
		switch {
		case !info.IsDir():
			return fn(rel, info)
		case rel == scratchName || rel == searchName || rel == livingName || rel == reverseName || rel == reverseName+newSuffix:
			return fs.SkipDir
		}
		return nil
	})
}

// openHome opens a store's directory.
func openHome(dir string) (*rooted.Dir, error) {
	home, err := rooted.Open(filepath.Clean(dir))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return home, nil
}
