//go:build !windows

package vectors

import (
	"fmt"
	"os"
)

// syncFolder makes a rename in a folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("vectors: sync %s: %w", path, err)
	}
	return nil
}
