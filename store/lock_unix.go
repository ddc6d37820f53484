//go:build !windows

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes an exclusive lock that the system drops with the process.
func tryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}
