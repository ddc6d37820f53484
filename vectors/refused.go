package vectors

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// ErrRows says that an input is not rows that can be read: its format is unknown or damaged, its files do not agree,
// an element is beyond float32, or beyond the type that it is converted to. A file that is not there, a disk or a Remote
// that fails, ErrUsage, an input that is closed and a context that ends are not ErrRows.
var ErrRows = errors.New("vectors: the input is not rows that can be read")

// ErrUsage says that an input is asked for in a wrong way: no files, a negative limit, an option that means nothing to
// its format, a column that it has not, one of several that is not named, stdin twice, a folder or a pipe as a file, an
// address where there is no OpenOptions.Remote. The same file may be read in another way.
var ErrUsage = errors.New("vectors: the input cannot be read in the way that is asked for")

// errRemote marks errors of a Remote: its store may answer the next time.
var errRemote = errors.New("vectors: a remote file cannot be reached")

// notRefused are errors that say nothing of the contents.
var notRefused = []error{ErrUsage, errRemote, ErrFault, fs.ErrNotExist, fs.ErrClosed, context.Canceled, context.DeadlineExceeded}

// Refused marks an error of reading rows as ErrRows, but for those of the system, of a Remote, of usage and of a context.
func Refused(err error) error {
	var system syscall.Errno
	var path *fs.PathError
	if err == nil || errors.As(err, &system) || errors.As(err, &path) || errors.Is(err, ErrRows) ||
		slices.ContainsFunc(notRefused, func(kind error) bool { return errors.Is(err, kind) }) {
		return err
	}
	return marked{err, ErrRows}
}

// Misused marks an error as ErrUsage, for the formats of a program's own: a column that a file has not.
func Misused(err error) error { return marked{err, ErrUsage} }

// remoteError marks an error of a Remote, if there is one.
func remoteError(err error) error {
	if err == nil {
		return nil
	}
	return marked{err, errRemote}
}

// marked is an error of a kind as well, and does not say so.
type marked struct {
	error
	kind error
}

func (e marked) Is(target error) bool { return target == e.kind }
func (e marked) Unwrap() error        { return e.error }
