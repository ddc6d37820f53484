//go:build !windows

package export

import (
	"errors"
	"fmt"
	"os"
)

// syncFolder makes renames in a folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("export: sync %s: %w", path, err)
	}
	return nil
}
