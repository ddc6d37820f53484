package store

import "golang.org/x/sys/unix"

// writeBehind makes the system begin to write a part of a file to disk. It does not wait; a
// later sync reports the errors of the disk.
func writeBehind(fd uintptr, from, size int64) {
	_ = unix.SyncFileRange(int(fd), from, size, unix.SYNC_FILE_RANGE_WRITE)
}
