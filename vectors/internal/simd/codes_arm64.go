//go:build arm64 && !noasm

package simd

import "golang.org/x/sys/cpu"

// codesNEON are the tiles of NEON: their products where the CPU has SDOT, which
// multiplies four bytes, the near ones among them, and lists.
func codesNEON() *Codes {
	c := portableCodes()
	c.Pack = packBy(0x80808080)
	c.Nearer, c.Either, c.Bound, c.First = nearerNEON, eitherNEON, boundNEON, firstNEON
	c.Merge = merge
	c.Prefetch, c.PrefetchFew = prefetch, prefetch
	if cpu.ARM64.HasASIMDDP {
		c.Dots = dotsByEights(dotsSDOT)
	}
	return c
}

func prefetch(base []byte, stride int, ids []uint32, bytes int) {
	if len(base) > 0 && len(ids) > 0 {
		prefetchRows(&base[0], stride, &ids[0], len(ids), bytes)
	}
}

//go:noescape
func dotsSDOT(rows *[8]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)

//go:noescape
func prefetchRows(base *byte, stride int, ids *uint32, n, bytes int)
