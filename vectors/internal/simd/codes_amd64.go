//go:build amd64 && !noasm

package simd

// codes512 are the tiles of AVX-512, their products by AVX2 where the CPU does not
// multiply bytes.
func codes512(bytes bool) *Codes {
	c := lists512.codes()
	if !bytes {
		inWords(c)
		return c
	}
	c.Pack = func(rows *[16]*byte, groups int, panel []byte) {
		_ = panel[PanelBytes(groups)-1]
		pack512(rows, groups, &panel[0], 0x80808080)
	}
	c.Dots = dotsByEights(dotsVNNI)
	return c
}

//go:noescape
func pack512(rows *[16]*byte, groups int, panel *byte, flip uint32)

//go:noescape
func dotsVNNI(rows *[8]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)
