//go:build amd64 && !noasm

package simd

// products512Table are the products of AVX-512.
func products512Table() *Products {
	return &Products{
		Pack: func(rows *[16]*byte, dim int, panel []byte) {
			_ = panel[PanelBytes(dim)-1]
			pack512(rows, dim, &panel[0], 0)
		},
		Products: func(rows *[8]*byte, dim int, panels []byte, c []float32, ldc int) {
			if count := len(panels) / PanelBytes(dim); count > 0 {
				_ = c[7*ldc+16*count-1]
				products512(rows, dim, &panels[0], PanelBytes(dim), count, &c[0], ldc)
			}
		},
		Reaching: func(c, halves, leasts []float32, half, least float32, out []uint32) int {
			if len(c) == 0 {
				return 0
			}
			return reaching512(len(c), &c[0], &halves[0], &leasts[0], half, least, &out[0])
		},
		Halves: halvesBy(halves512),
	}
}

// products2Table are the products of AVX2.
func products2Table() *Products {
	return &Products{
		Pack: packBy(pack2, 0, 1),
		Products: func(rows *[8]*byte, dim int, panels []byte, c []float32, ldc int) {
			if count := len(panels) / PanelBytes(dim); count > 0 {
				_ = c[7*ldc+16*count-1]
				products2((*[4]*byte)(rows[:4]), dim, &panels[0], PanelBytes(dim), count, &c[0], ldc)
				products2((*[4]*byte)(rows[4:]), dim, &panels[0], PanelBytes(dim), count, &c[4*ldc], ldc)
			}
		},
		Reaching: func(c, halves, leasts []float32, half, least float32, out []uint32) int {
			if len(c) == 0 {
				return 0
			}
			return reaching2(len(c), &c[0], &halves[0], &leasts[0], half, least, &out[0])
		},
		Halves: halvesBy(halves2),
	}
}

//go:noescape
func products512(rows *[8]*byte, dim int, panels *byte, stride, count int, c *float32, ldc int)

//go:noescape
func reaching512(n int, c, halves, leasts *float32, half, least float32, out *uint32) int

//go:noescape
func halves512(dst *float32, src *byte, n int)

//go:noescape
func products2(rows *[4]*byte, dim int, panels *byte, stride, count int, c *float32, ldc int)

//go:noescape
func reaching2(n int, c, halves, leasts *float32, half, least float32, out *uint32) int

//go:noescape
func halves2(dst *float32, src *byte, n int)
