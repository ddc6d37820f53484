// Package vectors reads, maps and writes matrices of vectors: n rows of dim
// elements, all of one [Type], row-major, little-endian.
//
// Most programs need two functions: [Open] maps one or several files as a
// [Source], and [OpenRows] maps the rows that a store keeps for itself.
//
// # Numbers
//
// A row is addressed by its 0-based position. A row is handed around as its raw
// bytes (dim * Type.Size() of them): the kernels of vectors/distance work on
// the stored type and never need a converted copy.
//
// # Lifetime
//
// Slices returned by a mapped Source or by Rows point into the mapping. They
// are valid until Close and must not be written to.
package vectors
