package living

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/livefiles"
	"github.com/knng/knng/store/living/internal/pointer"
)

// Is reports whether this package wrote to the store in dir, or made it. Open and OpenReader accept other
// stores too. It is true for a store that lost files of this package; OpenReader reports that damage.
func Is(dir string) bool {
	h, err := openHome(dir)
	if err != nil {
		return false
	}
	defer h.release()
	m, err := pointer.Read(h.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return h.neverWritten() != nil
	}
	return err != nil || !h.asBuilt(m)
}

// asBuilt reports whether nothing was written to a store since it was built, although a writer opened it, and
// may have been killed.
func (h *home) asBuilt(m *pointer.Manifest) bool {
	if m.Base != pointer.Here || m.Compact != nil || len(m.Logs) != 1 {
		return false
	}
	wrote, err := livefiles.HasOperations(h.Dir, pointer.Log(m.Logs[0]))
	return err == nil && !wrote
}

// neverWritten returns nil if no file shows a transaction or a compaction. It is for a store without CURRENT,
// which is durable before either begins: a writer that ended earlier, or that called forget, leaves only
// empty logs. Otherwise CURRENT was lost, or the store is part of a copy.
func (h *home) neverWritten() error {
	name, err := livefiles.Written(h.Dir)
	if err != nil || name == "" {
		return err
	}
	return &store.AdvisedError{
		Err:    fmt.Errorf("%w: %s is not there, and %s shows that the store was written to", ErrCorrupt, h.Path(pointer.Current), name),
		Advice: ": restore it from a copy that is whole, or build it again",
	}
}
