package store

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// NoSpace reports whether an error is that of a full disk, of a quota that is used up, or of the limit on the size of a file
// that a process (ulimit -f) or a file system has.
func NoSpace(err error) bool {
	return errors.Is(err, ErrSpace) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// SpaceError marks an error of which NoSpace is true with ErrSpace, and returns any other as it is.
func SpaceError(err error) error {
	switch {
	case !NoSpace(err) || errors.Is(err, ErrSpace):
		return err
	case errors.Is(err, syscall.EFBIG):
		return &fileLimit{err}
	}
	return fmt.Errorf("%w: %w", ErrSpace, err)
}

// fileLimit is the ErrSpace of a file that may not grow. The disk has space, so the text names the limit.
type fileLimit struct{ error }

func (e *fileLimit) Error() string {
	return e.error.Error() + ": the limit on the size of files, of the process (ulimit -f) or of the file system, is reached"
}
func (e *fileLimit) Unwrap() error        { return e.error }
func (e *fileLimit) Is(target error) bool { return target == ErrSpace }

// A Need is bytes that will be written below a folder.
type Need struct {
	Dir   string // the folder, which must exist
	Bytes int64  // at most
}

// Room compares the bytes about to be written with the free space of the disks; it adds up
// the needs of folders on one disk. It returns ErrSpace with the purpose, the bytes missing
// and the folder, and nil for a disk that does not report its free space. Folders must exist.
func Room(what string, needs ...Need) error {
	var places []string
	sums := map[uint64]Need{}
	for _, n := range needs {
		free, disk, ok := freeBytes(n.Dir)
		if !ok || n.Bytes == 0 {
			continue
		}
		sum := sums[disk]
		if sum.Bytes += n.Bytes; sum.Dir == "" {
			sum.Dir = n.Dir
		}
		sums[disk] = sum
		if sum.Bytes > free {
			places = append(places, fmt.Sprintf("%s takes %d bytes in %s, where %d are free: %d are missing", what, sum.Bytes, sum.Dir, free, sum.Bytes-free))
		}
	}
	if len(places) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrSpace, strings.Join(places, "; "))
}
