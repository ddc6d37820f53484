package pebblefs

import "golang.org/x/sys/unix"

// SyncData syncs the data and the size of the file.
func (f *file) SyncData() error { return f.control(unix.Fdatasync) }

// SyncTo has the system begin to write the file up to a byte. It promises nothing.
func (f *file) SyncTo(length int64) (full bool, err error) {
	return false, f.control(func(fd int) error {
		_ = unix.SyncFileRange(fd, 0, length, unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_BEFORE)
		return nil
	})
}

// Prefetch asks the system to read a part of the file, without waiting for it. A hint.
func (f *file) Prefetch(offset, length int64) error {
	return f.control(func(fd int) error { return unix.Fadvise(fd, offset, length, unix.FADV_WILLNEED) })
}

// control runs op with the descriptor while nobody closes it.
func (f *file) control(op func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = op(int(fd)) })
	if err == nil {
		err = failed
	}
	return err
}
