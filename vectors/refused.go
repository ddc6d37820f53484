package vectors

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// ErrRows: the contents of an input cannot be read as rows. Its format is unknown or damaged, its
// files do not agree, or an element does not fit float32 or the type that it is converted to. Other
// failures are not ErrRows: a missing file, a failing disk or Remote, ErrUsage, a closed input, an
// ended context.
var ErrRows = errors.New("vectors: the input is not rows that can be read")

// ErrUsage: the request for an input is wrong; the same file may be readable in another way. Examples:
// no files, a negative limit, an option that does not apply to the format, a column that does not
// exist or is not named among several, stdin twice, a folder or a pipe, an address without
// OpenOptions.Remote.
var ErrUsage = errors.New("vectors: the input cannot be read in the way that is asked for")

// errRemote marks errors of a Remote: its store may answer the next time.
var errRemote = errors.New("vectors: a remote file cannot be reached")

// notRefused lists errors that are not about the contents.
var notRefused = []error{ErrUsage, errRemote, ErrFault, fs.ErrNotExist, fs.ErrClosed, context.Canceled, context.DeadlineExceeded}

// Refused marks an error of reading rows as ErrRows, unless it is about the system, a Remote, the
// usage or a context.
func Refused(err error) error {
	var system syscall.Errno
	var path *fs.PathError
	if err == nil || errors.As(err, &system) || errors.As(err, &path) || errors.Is(err, ErrRows) ||
		slices.ContainsFunc(notRefused, func(kind error) bool { return errors.Is(err, kind) }) {
		return err
	}
	return marked{err, ErrRows}
}

// Misused marks an error as ErrUsage. It is for a program's own formats, when a file lacks the column
// asked for.
func Misused(err error) error { return marked{err, ErrUsage} }

// remoteError marks an error of a Remote, if there is one.
func remoteError(err error) error {
	if err == nil {
		return nil
	}
	return marked{err, errRemote}
}

// marked adds a kind, such as ErrRows, to an error without changing its text.
type marked struct {
	error
	kind error
}

func (e marked) Is(target error) bool { return target == e.kind }
func (e marked) Unwrap() error        { return e.error }
