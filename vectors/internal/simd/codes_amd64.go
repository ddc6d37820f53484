//go:build amd64 && !noasm

package simd

// codes512 are the tiles of AVX-512, their products by AVX2 where the CPU does not
// multiply bytes.
func codes512(bytes bool) *Codes {
	c := lists512.codes()
	c.Steps = stepsBy(steps512)
	if !bytes {
		inWords(c)
		return c
	}
	c.Pack = func(rows *[16]*byte, groups int, panel []byte) {
		_ = panel[PanelBytes(groups)-1]
		pack512(rows, groups, &panel[0], 0x80808080)
	}
	c.Dots = dotsByEights(dotsVNNI)
	c.Pairs = pairs512
	return c
}

// pairs512 is Pairs by AVX-512 with VNNI.
func pairs512(rows *[16]*byte, n, groups int, panels []byte, norms, adds, bounds, either, d []uint32, ldd int, marks []uint64, ldm int, _ []byte) {
	stride := PanelBytes(groups)
	count := len(panels) / stride
	for at := 0; at < n && count > 0; at += 8 {
		_, _, _, _ = norms[16*count-1], adds[at+7], bounds[at+7], either[16*count-1]
		_, _ = d[(at+7)*ldd+16*count-1], marks[(at+7)*ldm+(16*count-1)/64]
		pairsVNNI((*[8]*byte)(rows[at:]), groups, &panels[0], stride, count, &d[at*ldd], ldd, &norms[0], &adds[at], &bounds[at], &either[0], &marks[at*ldm], ldm)
	}
}

// stepsBy makes steps of eight products at a time, and of the rest in Go.
func stepsBy(eights func(n int, products, offsets *int32, factor int32, dst *byte)) func(products, offsets []int32, factor int32, dst []byte) {
	return func(products, offsets []int32, factor int32, dst []byte) {
		offsets, dst = offsets[:len(products)], dst[:len(products)]
		whole := len(products) / 8 * 8
		if whole > 0 {
			eights(whole, &products[0], &offsets[0], factor, &dst[0])
		}
		stepsGo(products[whole:], offsets[whole:], factor, dst[whole:])
	}
}

//go:noescape
func steps512(n int, products, offsets *int32, factor int32, dst *byte)

//go:noescape
func pack512(rows *[16]*byte, groups int, panel *byte, flip uint32)

//go:noescape
func dotsVNNI(rows *[8]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)

//go:noescape
func pairsVNNI(rows *[8]*byte, groups int, panels *byte, stride, count int, d *uint32, ldd int, norms, adds, bounds, either *uint32, marks *uint64, ldm int)
