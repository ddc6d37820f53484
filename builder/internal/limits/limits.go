// Package limits holds the errors of a build that meets the limit of its memory or of a disk,
// and how messages write sizes.
package limits

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/knng/knng/store"
)

// ErrMemory and ErrSpace are those of package builder.
var (
	ErrMemory error = &both{"builder: memory limit too low", store.ErrMemory}
	ErrSpace  error = &both{"builder: no space left on device", store.ErrSpace}
)

// both is an error that is another one too, and does not say it twice.
type both struct {
	text string
	too  error
}

func (b *both) Error() string { return b.text }
func (b *both) Unwrap() error { return b.too }

// Space marks the errors of a disk that is full, or too small for the next phase, with
// ErrSpace.
func Space(err error) error {
	switch {
	case !store.NoSpace(err) || errors.Is(err, ErrSpace):
		return err
	case errors.Is(err, store.ErrSpace) || errors.Is(err, syscall.EFBIG):
		return spaced{store.SpaceError(err)}
	}
	return fmt.Errorf("%w: %w", ErrSpace, err)
}

// spaced is an error of package store that is ErrSpace as well, and does not say it twice.
type spaced struct{ error }

func (s spaced) Unwrap() error        { return s.error }
func (s spaced) Is(target error) bool { return target == ErrSpace }

// MiB is the bytes of a mebibyte.
const MiB = 1 << 20

// Mebibytes writes a number of bytes, rounded down.
func Mebibytes(n int64) string { return fmt.Sprintf("%d.%d MiB", n/MiB, n%MiB*10/MiB) }
