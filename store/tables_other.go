//go:build !unix

package store

// openTables is how many tables of a database may be open at a time.
func openTables() int { return mostTables }
