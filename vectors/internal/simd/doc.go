// Package simd evaluates one row against many: sums of squared differences and
// inner products over raw rows, in Go and in assembly for amd64 and arm64.
//
// Every kernel has the same contract. x is one row of dim elements; row r of
// base begins at base[r*stride]; out[j] becomes the sum for row ids[j]. Kernels
// read nothing but the rows named, allocate nothing, and do not check bounds:
// callers do. Integer kernels are exact for dim up to 65536. Float kernels keep
// sixteen float64 lanes, element i in lane i%16, and add the lanes in halves;
// the products are exact, so the bits do not depend on fused multiply-adds.
//
// A Kernel is a table of functions for one instruction set. Tests hold every
// table against the Go one, bit by bit.
//
// Assembly whose skeletons repeat is generated from _generate/templates, which name each
// instruction once for all element types and registers. A file that is generated says so.
package simd

//go:generate go run ./_generate -dir .
