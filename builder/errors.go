package builder

import (
	"errors"
	"fmt"

	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/store"
)

// Errors that a program can test with errors.Is. The store's ErrMismatch,
// ErrLocked and ErrNotStore come through Build as well.
var (
	// ErrBadRows: the input has rows that cannot be in a graph (NaN, Inf, zero
	// rows under cosine, values whose distances overflow float32). Nothing was
	// built, and nothing binds the directory: it can be built in with another
	// Options.BadRows.
	ErrBadRows = audit.ErrBadRows
	// ErrMemory: the memory limit is below the need of this input. Nothing is
	// lost; the build can be continued with a larger limit. It is store.ErrMemory too.
	ErrMemory error = &both{"builder: memory limit too low", store.ErrMemory}
	// ErrReference: Options.Reference, for rows that are not one file that can be mapped.
	// Nothing was begun.
	ErrReference = errors.New("builder: nothing to reference")
	// ErrSpace: the disk is full, or has less room than the next phase will write; the
	// message says how much is missing and where. Committed work is kept, and the
	// build can be continued when there is room. It is store.ErrSpace too.
	ErrSpace error = &both{"builder: no space left on device", store.ErrSpace}
)

// both is an error that is another one too, and does not say it twice.
type both struct {
	text string
	too  error
}

func (b *both) Error() string { return b.text }
func (b *both) Unwrap() error { return b.too }

// spaceError marks the errors of a disk that is full, or too small for the next phase, with
// ErrSpace.
func spaceError(err error) error {
	if store.NoSpace(err) && !errors.Is(err, ErrSpace) {
		return fmt.Errorf("%w: %w", ErrSpace, err)
	}
	return err
}
