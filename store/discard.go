package store

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Discard drops the build, as if it had never been begun: nothing binds the directory to
// its options and rows any more. It is for one that found its input to be none, before it
// made anything of it. The Draft is closed.
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
	if err == nil {
		err = d.fs.RemoveAll(path + newSuffix)
	}
	if err == nil {
		err = syncDir(d.fs, d.dir)
	}
	if err != nil {
		err = fmt.Errorf("store: %w", err)
	}
	return errors.Join(err, d.Close())
}
