// Package storeerr holds the errors that packages store and reader have in common.
package storeerr

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Both packages export these errors under the same names.
var (
	ErrNotFinished = errors.New("store: the build is not finished")
	ErrNotStore    = errors.New("store: not a knng store")
	ErrLiving      = errors.New("store: rows were put or deleted since the graph was built")
	ErrFormat      = errors.New("store: the format of another version of knng")
	ErrCorrupt     = errors.New("store: corrupt")
	ErrSparse      = errors.New("store: not for sparse rows")
	ErrNoRow       = errors.New("store: no such row")
	ErrNoID        = errors.New("store: no such id")
	ErrClosed      = errors.New("store: closed")
)

// An AdvisedError is an error of damage that names a remedy of its own. One that helps against any damage is to restore
// a copy of the store or to build it again.
type AdvisedError struct {
	Err    error
	Advice string
}

// Error is the error and its advice.
func (e *AdvisedError) Error() string { return e.Err.Error() + e.Advice }

// Unwrap is the error without its advice.
func (e *AdvisedError) Unwrap() error { return e.Err }

// ErrAbsent is the ErrNotStore of a path where nothing is; it is fs.ErrNotExist too.
var ErrAbsent error = absent{}

type absent struct{}

func (absent) Error() string        { return ErrNotStore.Error() }
func (absent) Is(target error) bool { return target == ErrNotStore || target == fs.ErrNotExist }

// ErrNotFolder is the ErrNotStore of a path that is no directory.
var ErrNotFolder = fmt.Errorf("%w", ErrNotStore)

// NoFolder is the error of opening a directory, said plainly where a file is in its place, or a link
// that leads nowhere.
func NoFolder(name string, err error) error {
	info, missing := os.Stat(name)
	if missing == nil && !info.IsDir() {
		return fmt.Errorf("%w: %s is a file; a graph is a directory, which knng build makes", ErrNotFolder, name)
	}
	if to, is := os.Readlink(name); is == nil && errors.Is(missing, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is a link to %s, which is not there: make that folder, or remove the link", ErrNotFolder, name, to)
	}
	return err
}

// Damage marks a read error as ErrCorrupt, so that a program may delete a corrupt store. It
// does not mark errors of the system, which leave open whether the file is sound: no
// permission, too many open files, no memory, a failing disk, a file that may lie elsewhere.
func Damage(err error) error {
	for _, of := range []error{fs.ErrPermission, fs.ErrNotExist, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO} {
		if errors.Is(err, of) {
			return fmt.Errorf("store: %w", err)
		}
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}
