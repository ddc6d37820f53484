package vectors

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// ErrRows says that an input is not rows that can be read: its format is unknown or damaged, its files do not agree,
// or an element is beyond float32. A file that is not there, a disk that fails and a context that ends are not ErrRows.
var ErrRows = errors.New("vectors: the input is not rows that can be read")

// Refused marks an error of reading rows as ErrRows, but for those of the system and of a context.
func Refused(err error) error {
	var system syscall.Errno
	var path *fs.PathError
	if err == nil || errors.As(err, &system) || errors.As(err, &path) || errors.Is(err, ErrRows) || errors.Is(err, ErrFault) ||
		errors.Is(err, fs.ErrNotExist) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return refused{err}
}

// refused is an error that is ErrRows as well, and does not say so.
type refused struct{ error }

func (refused) Is(target error) bool { return target == ErrRows }
func (e refused) Unwrap() error      { return e.error }
