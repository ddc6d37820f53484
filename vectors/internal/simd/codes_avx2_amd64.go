//go:build amd64 && !noasm

package simd

// codes2 are the tiles of AVX2. Panels hold words, as rows do while they are compared:
// see codes_avx2_amd64.s.
func codes2() *Codes {
	c := lists2()
	c.wide, c.roomy = 2, 2
	c.Pack = packBy(packWords2, 0x80808080, 2)
	c.Dots = func(rows *[16]*byte, n, groups int, panels []byte, c []int32, ldc int, room []byte) {
		stride := PanelBytes(2 * groups)
		count := len(panels) / stride
		if n <= 0 || count == 0 {
			return
		}
		quads, plane := (n+3)/4, stride/32
		_, _ = c[(4*quads-1)*ldc+16*count-1], room[8*quads*plane-1]
		widen2(rows, 4*quads, groups, &room[0], plane)
		dotsWords2(quads, &room[0], plane, groups, &panels[0], stride, count, &c[0], ldc)
	}
	return c
}

// codes2Bytes are the tiles of AVX2 where the CPU multiplies bytes.
func codes2Bytes() *Codes {
	c := lists2()
	c.Pack = packBy(pack2, 0x80808080, 1)
	c.Dots = func(rows *[16]*byte, n, groups int, panels []byte, c []int32, ldc int, _ []byte) {
		stride := PanelBytes(groups)
		count := len(panels) / stride
		if n <= 0 || count == 0 {
			return
		}
		quads := (n + 3) / 4
		_ = c[(4*quads-1)*ldc+16*count-1]
		dotsBytes2(quads, rows, groups, &panels[0], stride, count, &c[0], ldc)
	}
	return c
}

// lists2 is what AVX2 finds among sums, and does with it.
func lists2() *Codes {
	return &Codes{
		Nearer: func(n int, c []int32, ldc int, norms, adds, bounds, ids, d, outIDs []uint32, ldo int, counts []uint32) {
			if rows := len(counts); rows > 0 {
				nearer2(rows, n, &c[0], ldc, &norms[0], &adds[0], &bounds[0], &ids[0], &d[0], &outIDs[0], ldo, &counts[0])
			}
		},
		Either: func(c []int32, norms []uint32, add, bound uint32, bounds, ids, d, outIDs []uint32) int {
			if len(c) == 0 {
				return 0
			}
			return either2(len(c), &c[0], &norms[0], add, bound, &bounds[0], &ids[0], &d[0], &outIDs[0])
		},
		Unlisted: func(list, d, ids []uint32, self uint32) int {
			if len(list) == 0 || len(ids) == 0 {
				return unlistedGo(list, d, ids, self)
			}
			return unlisted2(&list[0], len(list), &d[0], &ids[0], len(ids), self)
		},
		Bound: func(c []int32, norms []uint32, add uint32, k int) uint32 {
			return bound2(&c[0], len(c), &norms[0], add, k)
		},
		First: func(n int, c []int32, ldc int, norms, adds, out []uint32) {
			if len(out) > 0 {
				first2(len(out), n, &c[0], ldc, &norms[0], &adds[0], &out[0])
			}
		},
		Merge: func(list []uint64, d, ids []uint32, self uint32) {
			switch {
			case len(ids) == 0:
			case len(list) <= 32:
				merge2(&list[0], len(list), &d[0], &ids[0], len(ids), self)
			default:
				mergeLong2(&list[0], len(list), &d[0], &ids[0], len(ids), self)
			}
		},
		Prefetch: prefetch,
	}
}

// packBy returns a packing of panels by halves, of dwords that it flips and makes so many
// times as wide.
func packBy(pack func(rows *[8]*byte, groups int, panel *byte, flip uint32), flip uint32, wide int) func(rows *[16]*byte, groups int, panel []byte) {
	return func(rows *[16]*byte, groups int, panel []byte) {
		_ = panel[PanelBytes(wide*groups)-1]
		pack((*[8]*byte)(rows[:8]), groups, &panel[0], flip)
		pack((*[8]*byte)(rows[8:]), groups, &panel[32], flip)
	}
}

// fronts says, for each set of eight lanes, which lane comes to which place when those of
// the set move to the front: a byte a place.
//
//lint:ignore U1000 assembly reads it
var fronts = func() (t [256][8]byte) {
	for set := range t {
		n := 0
		for lane := range 8 {
			if set>>lane&1 != 0 {
				t[set][n] = byte(lane)
				n++
			}
		}
	}
	return t
}()

//go:noescape
func pack2(rows *[8]*byte, groups int, panel *byte, flip uint32)

//go:noescape
func packWords2(rows *[8]*byte, groups int, panel *byte, flip uint32)

//go:noescape
func widen2(rows *[16]*byte, n, groups int, room *byte, plane int)

//go:noescape
func dotsWords2(quads int, room *byte, plane, groups int, panels *byte, stride, count int, c *int32, ldc int)

//go:noescape
func dotsBytes2(quads int, rows *[16]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)

//go:noescape
func nearer2(rows, n int, c *int32, ldc int, norms, adds, bounds, ids, d, outIDs *uint32, ldo int, counts *uint32)

//go:noescape
func either2(n int, c *int32, norms *uint32, add, bound uint32, bounds, ids, d, outIDs *uint32) int

//go:noescape
func unlisted2(list *uint32, k int, d, ids *uint32, n int, self uint32) int

//go:noescape
func bound2(c *int32, n int, norms *uint32, add uint32, k int) uint32

//go:noescape
func first2(rows, n int, c *int32, ldc int, norms, adds, out *uint32)

//go:noescape
func merge2(list *uint64, k int, d, ids *uint32, n int, self uint32)

//go:noescape
func mergeLong2(list *uint64, k int, d, ids *uint32, n int, self uint32)
