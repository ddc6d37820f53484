package store

import "golang.org/x/sys/unix"

// blockBytes is the unit that free blocks are counted in, which is not the preferred size
// of a transfer: on FUSE that may be many times larger.
func blockBytes(s *unix.Statfs_t) int64 {
	if s.Frsize > 0 {
		return int64(s.Frsize)
	}
	return int64(s.Bsize)
}
