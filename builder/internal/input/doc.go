// Package input looks at the rows of a build and at their ids before anything is computed: whether
// a graph can be made of them, whether they must be scaled to be compared in float32, and the hash
// by which a build that goes on knows them.
package input
