package living

import (
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/rooted"
)

// A home is the directory of a living store, open as long as anything holds it.
type home struct {
	*rooted.Dir
	refs atomic.Int32
}

func openHome(dir string) (*home, error) {
	d, err := rooted.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is not there", store.ErrNotStore, dir)
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
