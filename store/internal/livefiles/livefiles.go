// Package livefiles names the files of package living beside a sealed store, and finds out whether any
// shows that rows were put or deleted.
package livefiles

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/storeerr"
)

// Folder is that of the files within the directory of a store.
const Folder = "living"

// Current is the file that names the manifest that counts.
const Current = Folder + "/CURRENT"

// LogHeader is the length of a log without operations.
const LogHeader = 80

// Is reports whether a path below the directory of a store is a file or folder of a kind, such as "log-", and a number.
func Is(name, kind string) bool {
	rest, ok := strings.CutPrefix(name, Folder+"/"+kind)
	return ok && rest != "" && strings.Trim(rest, "0123456789") == ""
}

// HasOperations reports whether a log has any, promised or not.
func HasOperations(dir *rooted.Dir, log string) (bool, error) {
	info, err := dir.Lstat(log)
	return err == nil && info.Size() > LogHeader, err
}

// Written returns a file that shows a transaction or a compaction, "" where there is none: a writer that
// ended before either leaves empty logs at most.
func Written(dir *rooted.Dir) (name string, err error) {
	names, err := dir.List(Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for _, name := range names {
		name = Folder + "/" + name
		wrote := Is(name, "base-") || Is(name, "rows-")
		if Is(name, "log-") {
			if wrote, err = HasOperations(dir, name); errors.Is(err, fs.ErrNotExist) { // a writer swept it
				err = nil
			}
		}
		if wrote || err != nil {
			return name, err
		}
	}
	return "", err
}

// Refuse is nil where nothing was written to the store in dir since it was built, else storeerr.ErrLiving.
func Refuse(dir *rooted.Dir) error {
	name, err := Written(dir)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if name == "" {
		return nil
	}
	return Error(dir.Name())
}

// Error is the ErrLiving of a store.
func Error(dir string) error {
	return fmt.Errorf("%w: open %s with package store/living; the commands search, neighbors, info, recall, export and analyze read such stores",
		storeerr.ErrLiving, dir)
}
