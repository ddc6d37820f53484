// Package output writes the graph of a build: it completes short lists, commits the lists of all
// rows in input order, counts the components, and computes the checksum.
package output
