// Package vectors reads, maps and writes matrices of vectors: n rows of dim
// elements, all of one [Type], row-major, little-endian.
//
// Most programs need two functions: [Open] maps one or several files as an
// [Input], and [Create] writes one row after the other.
//
// # Numbers
//
// A row is addressed by its 0-based position. A row is handed around as its raw
// bytes (dim * Type.Size() of them): the kernels of vectors/distance work on
// the stored type and never need a converted copy.
//
// # Lifetime
//
// Slices returned by a mapped source point into the mapping. They are valid
// until Close and must not be written to. A mapped file that shrinks under us
// makes reads fail: ReadRows turns the fault into an error, and Guard does so for
// loops over mapped rows.
//
// # Row files
//
// The rows that a store keeps for itself are one file: a header of 4096 bytes,
// so that rows begin on a page, and n*dim elements without padding.
//
//	offset  bytes  content
//	0       8      "KNNGROWS"
//	8       4      format version, 1 (u32 little-endian, like all that follow)
//	12      4      element type: 1 uint8, 2 int8, 3 float16, 4 float32
//	16      8      n, rows
//	24      8      dim, elements of a row
//	32      8      xxhash64 (seed 0) of bytes 0 to 31
//	40      4056   zero
//	4096    ...    row 0, row 1, ...; row i begins at 4096 + i*dim*size
//
// A row file is written beside its final name and renamed when it is whole.
package vectors
