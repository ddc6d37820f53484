//go:build arm64 && !noasm

package simd

// productsNEON are the products of NEON.
func productsNEON() *Products {
	p := portableProducts()
	p.Pack = packBy(0)
	p.Products = func(rows *[8]*byte, dim int, panels []byte, c []float32, ldc int) {
		if count := len(panels) / PanelBytes(dim); count > 0 {
			_ = c[7*ldc+16*count-1]
			products8(rows, dim, &panels[0], PanelBytes(dim), count, &c[0], ldc)
		}
	}
	p.Reaching = reachingNEON
	p.Halves = halvesBy(halves16)
	return p
}

//go:noescape
func products8(rows *[8]*byte, dim int, panels *byte, stride, count int, c *float32, ldc int)

//go:noescape
func halves16(dst *float32, src *byte, n int)
