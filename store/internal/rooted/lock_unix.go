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

// unlock gives a lock back. Closing the file does as well, but only once no process that was
// forked meanwhile has a copy of it, which it keeps until it runs its own program.
func unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

func flock(f *os.File, how int) (ok bool, err error) {
	err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}
