package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/knng/knng/store/internal/rooted"
)

// openHome opens a store's directory.
func openHome(dir string) (*rooted.Dir, error) {
	home, err := rooted.Open(filepath.Clean(dir))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return home, nil
}

// missing reports whether an error says that something is not there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
