package store

import "golang.org/x/sys/unix"

// blockBytes is the unit that free blocks are counted in.
func blockBytes(s *unix.Statfs_t) int64 { return int64(s.Bsize) }
