// Package products compares rows of any type with each other in tiles of float32
// inner products: the fast way to find, among all pairs of two sets of rows, the
// few whose keys may be small enough.
//
// Products are rounded, and differently by every CPU. The result of a [Tile]
// therefore errs on one side only: every pair whose key is at most the bound is
// in it, by a proof about rounding (see [Matrix]), and a few more may be. Keys,
// which are the same everywhere, then decide: package distance.
//
// A [Matrix] is immutable and safe for concurrent use; a [Tile] is one
// goroutine's tool.
package products
