// Package sparse reads matrices of mostly zeros, such as TF-IDF, and holds their rows as
// lists of columns and values.
//
// Most programs need two functions: [Open] reads a file that scipy.sparse.save_npz wrote of a
// CSR matrix, and [OpenedRows] maps the rows that a store keeps.
//
// # The key, to the bit
//
// A row holds float32 values at ascending columns, none of them zero. With
//
//	dot(x,y) = sum over the columns c of both, ascending, of float64(x[c])*float64(y[c])
//
// in one float64 that begins as +0, keys are those of package distance:
//
//	ip      float32(-dot), and +0 where dot is 0
//	cosine  float32(1 - dot/(norm(x)*norm(y))), clamped to [0, 2]; norm(x) = sqrt(dot(x,x))
//
// A product of two float32 is exact in float64, so fused and separate operations give the
// same bits.
//
// # Input
//
// A CSR matrix may have columns in any order, columns that repeat within a row, whose values
// are added in float64, and stored zeros, which are dropped. Values become float32.
//
// # The file of rows
//
// A store keeps its rows in vectors/rows, in the order of places:
//
//	offset  bytes  content
//	0       8      "KNNGSPAR"
//	8       4      version, 1 (u32 little-endian, like all that follow)
//	12      52     zero
//	64      ...    for each row its c columns, u32 each, then its c values, f32 each
//	then    ...    u64 n+1 times: nonzeros before row 0, 1, ... n
//	        8      u64 rows, n
//	        8      u64 columns
//	        8      u64 nonzeros
//	        8      xxhash64 (seed 0) of all behind the last row up to here
//
// Row i begins at 64 + 8 * (nonzeros before it). Two rows of 5 columns, {1: 2.0, 4: 1.0} and
// {0: 3.0}, after the first 64 bytes:
//
//	01 00 00 00  04 00 00 00  00 00 00 40  00 00 80 3f      row 0
//	00 00 00 00  00 00 40 40                                row 1
//	00 .. 02 .. 03 ..                                       nonzeros before each row, u64
//	02 .. 05 .. 03 ..                                       2 rows, 5 columns, 3 nonzeros
//	57 54 fc 98 79 73 80 ea                                 checksum
package sparse
