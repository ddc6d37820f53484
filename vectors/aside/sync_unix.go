//go:build !windows

package aside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// SyncFolder makes renames in a folder durable. It does nothing if the folder may
// be written and not read, or if its file system cannot sync folders: renamed files have
// their names all the same.
func SyncFolder(path string) error {
	d, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	if err = errors.Join(err, d.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return nil
}
