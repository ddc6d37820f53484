package living

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/store/living/internal/pointer"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors/aside"
)

// unfinishedName is the note in the folder of a backup that says of which store it is, locked by the process
// that fills the folder. It is removed when the folder is a store; if it remains, the first writer sweeps it.
const unfinishedName = pointer.Folder + "/backup"

// An unfinished is the folder of an unfinished backup.
type unfinished struct {
	*home
	note *os.File // nil: it is removed
}

// A backupNote is the contents of the note.
type backupNote struct {
	Of string `json:"of"` // path of the store
}

// begin makes the folder of a backup, or empties the folder of a backup of the same store whose process has
// ended.
func (v *View) begin(dir string) (*unfinished, error) {
	of, err := filepath.Abs(v.st.dir.Name())
	if err != nil {
		return nil, err
	}
	there := os.Mkdir(dir, 0o777)
	if there != nil && !errors.Is(there, fs.ErrExist) {
		return nil, there
	}
	h, err := openHome(dir)
	if err != nil {
		return nil, errors.Join(there, err)
	}
	u := &unfinished{home: h}
	if there == nil {
		err = u.create(of)
	} else {
		err = u.takeOver(there, of)
	}
	if err != nil {
		u.release()
		return nil, err
	}
	return u, nil
}

// create writes the note into a new folder.
func (u *unfinished) create(of string) error {
	data, err := json.Marshal(backupNote{of})
	if err == nil {
		err = u.MkdirAll(pointer.Folder, 0o777)
	}
	if err == nil {
		u.note, err = u.Create(unfinishedName)
	}
	if err == nil {
		err = u.lock()
	}
	if err == nil {
		_, err = u.note.Write(data)
	}
	if err == nil {
		err = errors.Join(u.note.Sync(), disk.In(u.Dir).SyncFolder(pointer.Folder), disk.In(u.Dir).SyncFolder("."), aside.SyncFolder(filepath.Dir(filepath.Clean(u.Name()))))
	}
	if err != nil {
		err = errors.Join(err, u.remove())
	}
	return err
}

// takeOver empties a folder in which a process that has ended began a backup of the same store. For another
// folder it returns the error there.
func (u *unfinished) takeOver(there error, of string) (err error) {
	if u.note, err = u.Open(unfinishedName); err != nil {
		u.note = nil
		return there
	}
	data, err := io.ReadAll(io.LimitReader(u.note, 1<<16))
	var n backupNote
	if err != nil || json.Unmarshal(data, &n) != nil {
		return there
	}
	if err := u.lock(); err != nil {
		return err
	}
	if n.Of != of {
		return fmt.Errorf("%w: it is an unfinished backup of %s", there, n.Of)
	}
	v, err := OpenReader(u.Name(), &ReadOptions{Search: &search.Options{Exact: true}})
	switch {
	case err == nil: // the process ended after all was done
		return errors.Join(there, v.Close())
	case errors.Is(err, ErrCorrupt), errors.Is(err, store.ErrNotFinished), errors.Is(err, store.ErrNotStore):
		return u.clear()
	}
	return err
}

func (u *unfinished) lock() error {
	ok, err := rooted.TryLock(u.note)
	if err == nil && !ok {
		err = fmt.Errorf("%w: another backup fills %s", ErrLocked, u.Name())
	}
	return err
}

// clear removes all files of a backup except the note.
func (u *unfinished) clear() error {
	for _, name := range []string{sealName, "graph", "vectors", "view", "catalog", "search"} {
		if err := u.RemoveAll(name); err != nil {
			return err
		}
	}
	names, err := u.List(pointer.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, name := range names {
		if name = pointer.Folder + "/" + name; name != unfinishedName && err == nil {
			err = u.RemoveAll(name)
		}
	}
	return err
}

// remove removes the folder, if it holds no other files.
func (u *unfinished) remove() error {
	if err := errors.Join(u.clear(), u.RemoveAll(pointer.Folder)); err != nil {
		return err
	}
	return os.Remove(u.Name())
}

// end removes the note, durably, and the folder unless keepFolder.
func (u *unfinished) end(keepFolder bool) error {
	err := u.RemoveAll(unfinishedName)
	if err == nil && !keepFolder {
		err = u.RemoveAll(pointer.Folder)
	}
	if err == nil && keepFolder {
		err = disk.In(u.Dir).SyncFolder(pointer.Folder)
	}
	return errors.Join(err, disk.In(u.Dir).SyncFolder("."))
}

// release releases the lock and closes the folder.
func (u *unfinished) release() {
	if u.note != nil {
		rooted.Locked{File: u.note}.Close()
	}
	u.home.release()
}
