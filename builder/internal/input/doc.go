// Package input checks the rows of a build and their ids before anything is computed: whether a graph can be
// made from them, and whether they must be scaled to be compared in float32. It computes the hash by which a
// resumed build recognizes them.
package input
