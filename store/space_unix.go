//go:build linux || darwin

package store

import "golang.org/x/sys/unix"

// freeBytes is the room that dir's file system has for this user, and which file system
// that is; ok is false where it does not say.
func freeBytes(dir string) (n int64, disk uint64, ok bool) {
	var s unix.Statfs_t
	var f unix.Stat_t
	if unix.Statfs(dir, &s) != nil || unix.Stat(dir, &f) != nil {
		return 0, 0, false
	}
	return int64(s.Bavail) * blockBytes(&s), uint64(f.Dev), true
}
