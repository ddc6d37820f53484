package living

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/living/internal/pointer"
)

// sweep removes files that the manifest does not name: old manifests, logs and bases, and those that a
// process left incomplete. A base with readers stays until the next sweep: they hold a lock, which is
// released when their processes end.
func (db *DB) sweep() error {
	m := db.st.man
	keep := m.Files()
	names, err := db.home.List(pointer.Folder)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		full := pointer.Folder + "/" + name
		switch {
		case keep[name] || full == lockName || name == appendingName:
		case strings.HasPrefix(name, "base-"):
			errs = append(errs, db.removeBase(full))
		default:
			errs = append(errs, db.fs.RemoveAll(full))
		}
	}
	if m.Base != pointer.Here {
		errs = append(errs, db.removeBase(pointer.Here))
	}
	return errors.Join(errs...)
}

// removeBase removes a base that has no readers.
func (db *DB) removeBase(folder string) error {
	f, err := db.home.Open(sealOf(folder))
	if errors.Is(err, fs.ErrNotExist) { // it was never finished, or is already removed
		if folder == pointer.Here {
			return nil
		}
		return db.fs.RemoveAll(folder)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if ok, err := rooted.TryLock(f); err != nil || !ok {
		return err
	}
	if folder != pointer.Here {
		return db.fs.RemoveAll(folder)
	}
	// The seal goes last: without it the rest would pass for an unfinished build.
	var errs []error
	for _, name := range []string{"search", "reverse", "reverse.new", "view", "catalog", "catalog.new", "view.new", "map", "scratch", "vectors", "graph"} {
		errs = append(errs, db.fs.RemoveAll(path.Join(folder, name)))
	}
	if err := errors.Join(append(errs, db.syncHome())...); err != nil {
		return err
	}
	return errors.Join(db.fs.RemoveAll(sealName), db.syncHome())
}

// syncHome makes removals durable. If that fails, nothing more is written.
func (db *DB) syncHome() error {
	if err := db.fs.SyncFolder("."); err != nil {
		return db.fail(err)
	}
	return nil
}
