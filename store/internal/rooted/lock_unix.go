//go:build !windows

package rooted

import (
	"os"

	"golang.org/x/sys/unix"
)

// TryLock takes an exclusive lock that the system drops with the process, or with the
// file. ok is false where another holds one.
func TryLock(f *os.File) (ok bool, err error) { return flock(f, unix.LOCK_EX) }

// TryShare takes a lock that others may share, for which the file need not be writable.
func TryShare(f *os.File) (ok bool, err error) { return flock(f, unix.LOCK_SH) }

func flock(f *os.File, how int) (ok bool, err error) {
	err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}
