package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Discard deletes the build and closes the Draft, so that the directory can be used with other options and rows. A
// directory that this Draft made is removed too, unless it holds other files. It is for a build that is refused
// before it has done much work.
func (d *Draft) Discard() error {
	if d.closed {
		return nil
	}
	d.untell()
	path := filepath.Join(d.dir, graphName)
	err := d.engine.close()
	d.engine = nil
	if err == nil { // under the name of one that is not whole, which nobody takes for a build
		err = d.fs.Rename(path, path+newSuffix)
	}
	if err != nil {
		err = fmt.Errorf("store: %w", err)
	} else {
		err = d.wipe()
	}
	d.discarded = err == nil
	return errors.Join(err, d.Close())
}

// vanish removes what is left of a build that was discarded: its lock, which it still holds, its
// scratch folder, and the directory where it made that. Folders that hold other files stay.
func vanish(d *Draft) {
	if d.opts.Scratch != "" {
		d.scratch.drop(d.manifest.Created)
	}
	_ = d.home.Remove(lockName)
	_ = d.home.Remove(scratchName)
	_ = d.home.Remove(vectorsName)
	if d.made {
		_ = os.Remove(d.dir)
	}
}
