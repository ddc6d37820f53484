package rooted

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock takes an exclusive lock that the system drops with the process, or with the
// file. ok is false where another holds one. The byte locked lies far beyond the contents,
// which others may then read.
func TryLock(f *os.File) (ok bool, err error) { return lockByte(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// TryShare takes a lock that others may share, for which the file need not be writable.
func TryShare(f *os.File) (ok bool, err error) { return lockByte(f, 0) }

// unlock gives a lock back, as closing the file does.
func unlock(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1}
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, at)
}

func lockByte(f *os.File, how uint32) (ok bool, err error) {
	at := &windows.Overlapped{OffsetHigh: 1}
	err = windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
