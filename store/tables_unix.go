//go:build unix

package store

import "golang.org/x/sys/unix"

// openTables is how many tables of a database may be open at a time: a quarter of the files that the process may have. Every group of a
// build by parts is a table, and folds read a little of each, over and over: of 100,000,000 rows they are 3,408, and Pebble keeps 1,000.
func openTables() int {
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		return leastTables
	}
	return int(min(max(leastTables, files.Cur/4), mostTables))
}
