package store

import "golang.org/x/sys/unix"

// writeBehind has the system begin to write a part of a file to disk. It does not wait, and
// promises nothing; what is wrong with the disk, a sync tells.
func writeBehind(fd uintptr, from, size int64) {
	_ = unix.SyncFileRange(int(fd), from, size, unix.SYNC_FILE_RANGE_WRITE)
}
