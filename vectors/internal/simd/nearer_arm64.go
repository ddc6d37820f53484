//go:build arm64 && !noasm

package simd

import (
	"math/bits"
	"slices"
)

// Few columns are near: assembly looks for the next 16 with one among them, Go
// writes down which.

// hitColumns keeps one bit a column, 4*j for column j, of those below n.
func hitColumns(hits uint64, n int) uint64 {
	hits &= 0x1111111111111111
	if n < 16 {
		hits &= 1<<(4*max(n, 0)) - 1
	}
	return hits
}

func nearerNEON(n int, c []int32, ldc int, norms, adds, bounds, ids, d, outIDs []uint32, ldo int, counts []uint32) {
	for r := range counts {
		row, add, m := c[r*ldc:], adds[r], r*ldo
		for from := 0; from < n; from += 16 {
			at, hits := within(n-from, &row[from], &norms[from], add, bounds[r])
			from += at
			for hits = hitColumns(hits, n-from); hits != 0; hits &= hits - 1 {
				j := from + bits.TrailingZeros64(hits)/4
				d[m], outIDs[m] = add+norms[j]-2*uint32(row[j]), ids[j]
				m++
			}
		}
		counts[r] = uint32(m - r*ldo)
	}
}

func eitherNEON(c []int32, norms []uint32, add, bound uint32, bounds, ids, d, outIDs []uint32) (m int) {
	for from := 0; from < len(c); from += 16 {
		at, hits := withinEither(len(c)-from, &c[from], &norms[from], add, bound, &bounds[from])
		from += at
		for hits = hitColumns(hits, len(c)-from); hits != 0; hits &= hits - 1 {
			j := from + bits.TrailingZeros64(hits)/4
			d[m], outIDs[m] = add+norms[j]-2*uint32(c[j]), ids[j]
			m++
		}
	}
	return m
}

func reachingNEON(c, halves, leasts []float32, half, least float32, out []uint32) (m int) {
	for from := 0; from < len(c); from += 16 {
		at, hits := reaching16(len(c)-from, &c[from], &halves[from], &leasts[from], half, least)
		from += at
		for hits = hitColumns(hits, len(c)-from); hits != 0; hits &= hits - 1 {
			out[m] = uint32(from + bits.TrailingZeros64(hits)/4)
			m++
		}
	}
	return m
}

func boundNEON(c []int32, norms []uint32, add uint32, k int) uint32 {
	least := leastOf(c, norms, add)
	slices.Sort(least[:])
	return least[k-1]
}

func firstNEON(n int, c []int32, ldc int, norms, adds, out []uint32) {
	for r := range out {
		row := c[r*ldc:]
		least := leastOf(row[:n], norms, adds[r])
		at, hits := within(n, &row[0], &norms[0], adds[r], slices.Min(least[:]))
		out[r] = uint32(at + bits.TrailingZeros64(hits)/4)
	}
}

// leastOf is the smallest distance in each of 32 classes: column j is in j%32.
func leastOf(c []int32, norms []uint32, add uint32) (least [32]uint32) {
	for i := range least {
		least[i] = ^uint32(0)
	}
	blocks := len(c) / 32
	if blocks > 0 {
		minima(blocks, &c[0], &norms[0], add, &least)
	}
	for j := 32 * blocks; j < len(c); j++ {
		least[j%32] = min(least[j%32], add+norms[j]-2*uint32(c[j]))
	}
	return least
}

// within looks at 16 columns at a time until some are within the bound, and
// returns the first of the 16 and four bits for each of them; or until n, which
// may be in the midst of 16, and no bits.
//
//go:noescape
func within(n int, c *int32, norms *uint32, add, bound uint32) (at int, hits uint64)

// withinEither is within where the bounds of columns count as well.
//
//go:noescape
func withinEither(n int, c *int32, norms *uint32, add, bound uint32, bounds *uint32) (at int, hits uint64)

// reaching16 is within for Reaching.
//
//go:noescape
func reaching16(n int, c, halves, leasts *float32, half, least float32) (at int, hits uint64)

// minima lowers least[j%32] to the distances of 32*blocks columns j; blocks > 0.
//
//go:noescape
func minima(blocks int, c *int32, norms *uint32, add uint32, least *[32]uint32)
