package living

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync/atomic"

	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/store/living/internal/pointer"
)

// A home is the directory of a living store, open as long as anything uses it.
type home struct {
	*rooted.Dir
	refs atomic.Int32
}

func openHome(dir string) (*home, error) {
	d, err := rooted.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s does not exist", storeerr.ErrAbsent, dir)
	}
	if err != nil {
		return nil, err
	}
	h := &home{Dir: d}
	h.refs.Store(1)
	return h, nil
}

func (h *home) retain() *home {
	h.refs.Add(1)
	return h
}

func (h *home) release() error {
	if h.refs.Add(-1) > 0 {
		return nil
	}
	return h.Dir.Close()
}

// within returns nil unless dir is the base of another living store, whose next compaction removes it.
func within(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil // opening it gives a better error
	}
	folder := filepath.Dir(real)
	if whole := filepath.Dir(folder); filepath.Base(folder) == filepath.Dir(filepath.FromSlash(pointer.Current)) && Is(whole) {
		return fmt.Errorf("%w: write to %s", ErrWithin, whole)
	}
	return nil
}
