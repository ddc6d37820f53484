// Package codes holds rows as unsigned bytes and compares many of them with
// many at a time: the arithmetic of leaves, balls and joins in package builder.
//
// Rows of uint8 are their own codes, and their code distances are the squared
// distances, exactly. Other rows are rounded to bytes ([Fit]); distances between
// codes then order candidates approximately, and whoever keeps more of them than
// asked can order the rest exactly afterwards. The distance of rows from their codes
// ([Matrix.Residual]) bounds the error: exact lists are found by it.
//
// # The distance, to the bit
//
// The distance of two rows of codes is the sum of the squared differences of
// their elements, an integer below 2^32. It does not depend on the kernel, so
// nothing that is decided by it does.
//
// A [Matrix] is immutable and safe for concurrent use; a [Tile] is one
// goroutine's tool.
package codes
