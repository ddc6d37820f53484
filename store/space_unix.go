//go:build linux || darwin

package store

import "golang.org/x/sys/unix"

// freeBytes is the room that dir's file system has for this user; ok is false
// where it does not say.
func freeBytes(dir string) (n int64, ok bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
