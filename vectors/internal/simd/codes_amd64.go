//go:build amd64 && !noasm

package simd

// codes512 are the tiles of AVX-512, their products by AVX2 where the CPU does not
// multiply bytes.
func codes512(bytes bool) *Codes {
	c := lists512()
	if !bytes {
		words := codes2()
		c.Pack, c.Dots, c.wide, c.roomy = words.Pack, words.Dots, words.wide, words.roomy
		return c
	}
	c.Pack = func(rows *[16]*byte, groups int, panel []byte) {
		_ = panel[PanelBytes(groups)-1]
		pack512(rows, groups, &panel[0], 0x80808080)
	}
	c.Dots = dotsByEights(dotsVNNI)
	return c
}

// lists512 is what AVX-512 finds among sums, and does with it.
func lists512() *Codes {
	return &Codes{
		Nearer: func(n int, c []int32, ldc int, norms, adds, bounds, ids, d, outIDs []uint32, ldo int, counts []uint32) {
			if rows := len(counts); rows > 0 {
				nearer512(rows, n, &c[0], ldc, &norms[0], &adds[0], &bounds[0], &ids[0], &d[0], &outIDs[0], ldo, &counts[0])
			}
		},
		Either: func(c []int32, norms []uint32, add, bound uint32, bounds, ids, d, outIDs []uint32) int {
			if len(c) == 0 {
				return 0
			}
			return either512(len(c), &c[0], &norms[0], add, bound, &bounds[0], &ids[0], &d[0], &outIDs[0])
		},
		Unlisted: func(list, d, ids []uint32, self uint32) int {
			if len(list) == 0 || len(ids) == 0 {
				return unlistedGo(list, d, ids, self)
			}
			return unlisted512(&list[0], len(list), &d[0], &ids[0], len(ids), self)
		},
		Bound: func(c []int32, norms []uint32, add uint32, k int) uint32 {
			return bound512(&c[0], len(c), &norms[0], add, k)
		},
		First: func(n int, c []int32, ldc int, norms, adds, out []uint32) {
			if len(out) > 0 {
				first512(len(out), n, &c[0], ldc, &norms[0], &adds[0], &out[0])
			}
		},
		Merge: func(list []uint64, d, ids []uint32, self uint32) {
			switch {
			case len(ids) == 0:
			case len(list) <= 32:
				mergeShort(&list[0], len(list), &d[0], &ids[0], len(ids), self)
			default:
				mergeLong(&list[0], len(list), &d[0], &ids[0], len(ids), self)
			}
		},
		Prefetch: prefetch,
	}
}

//go:noescape
func pack512(rows *[16]*byte, groups int, panel *byte, flip uint32)

//go:noescape
func dotsVNNI(rows *[8]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)

//go:noescape
func nearer512(rows, n int, c *int32, ldc int, norms, adds, bounds, ids, d, outIDs *uint32, ldo int, counts *uint32)

//go:noescape
func either512(n int, c *int32, norms *uint32, add, bound uint32, bounds, ids, d, outIDs *uint32) int

//go:noescape
func unlisted512(list *uint32, k int, d, ids *uint32, n int, self uint32) int

//go:noescape
func bound512(c *int32, n int, norms *uint32, add uint32, k int) uint32

//go:noescape
func first512(rows, n int, c *int32, ldc int, norms, adds, out *uint32)

//go:noescape
func mergeShort(list *uint64, k int, d, ids *uint32, n int, self uint32)

//go:noescape
func mergeLong(list *uint64, k int, d, ids *uint32, n int, self uint32)

func prefetch(base []byte, stride int, ids []uint32, bytes int) {
	if len(ids) > 0 {
		prefetchRows(&base[0], stride, &ids[0], len(ids), bytes)
	}
}

//go:noescape
func prefetchRows(base *byte, stride int, ids *uint32, n, bytes int)
