//go:build amd64 && !noasm

package simd

// shortBy2 has codes take products of short codes by AVX2.
func shortBy2(c *Codes) {
	short := *c
	short.wide, short.roomy, short.zero, short.narrow = 1, 0, shortZero, nil
	short.Pack = packBy(packShort2, 0x01010101*shortZero, 1)
	short.Dots, short.Pairs = dotsShort, pairsShort
	c.short = &short
}

func dotsShort(rows *[16]*byte, n, groups int, panels []byte, c []int32, ldc int, _ []byte) {
	stride := PanelBytes(groups)
	count := len(panels) / stride
	if n <= 0 || count == 0 {
		return
	}
	quads := (n + 3) / 4
	_ = c[(4*quads-1)*ldc+16*count-1]
	dotsShort2(quads, rows, groups, &panels[0], stride, count, &c[0], ldc)
}

func pairsShort(rows *[16]*byte, n, groups int, panels []byte, norms, adds, bounds, either, d []uint32, ldd int, marks []uint64, ldm int, _ []byte) {
	stride := PanelBytes(groups)
	count := len(panels) / stride
	if n <= 0 || count == 0 {
		return
	}
	quads := (n + 3) / 4
	last := 4*quads - 1
	_, _, _, _ = norms[16*count-1], adds[last], bounds[last], either[16*count-1]
	_, _ = d[last*ldd+16*count-1], marks[last*ldm+(16*count-1)/64]
	pairsShort2(quads, rows, groups, &panels[0], stride, count, &d[0], ldd, &norms[0], &adds[0], &bounds[0], &either[0], &marks[0], ldm)
}

//go:noescape
func packShort2(rows *[8]*byte, groups int, panel *byte, less uint32)

//go:noescape
func dotsShort2(quads int, rows *[16]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)

//go:noescape
func pairsShort2(quads int, rows *[16]*byte, groups int, panels *byte, stride, count int, d *uint32, ldd int, norms, adds, bounds, either *uint32, marks *uint64, ldm int)
