// Package codes holds rows as unsigned bytes and compares many of them with
// many at a time: the arithmetic of leaves, balls and joins in package builder.
//
// Rows of uint8 are their own codes, and their code distances are the squared
// distances, exactly. Other rows are rounded to bytes ([Fit]); distances between
// codes then order candidates approximately. A caller that keeps more candidates than it
// needs can order these exactly afterwards. The distance of a row from its codes
// ([Matrix.Residual]) bounds the error, so that exact lists can be found as well.
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
