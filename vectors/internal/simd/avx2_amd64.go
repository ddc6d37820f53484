//go:build amd64 && !noasm

package simd

// avx2 returns the kernels of AVX2 with FMA. The assembly sums whole blocks of
// 16 elements of one pair; Go walks the ids and adds the rest.
func avx2() *Kernel {
	return &Kernel{
		Name:      "avx2",
		SquaredU8: ints2(squaredU8AVX2, squaredU8), DotU8: ints2(dotU8AVX2, dotU8),
		SquaredI8: ints2(squaredI8AVX2, squaredI8), DotI8: ints2(dotI8AVX2, dotI8),
		SquaredF32: floats2(squaredF32AVX2, float32s, float32s, squares), DotF32: floats2(dotF32AVX2, float32s, float32s, products),
		SquaredF16: floats2(squaredF16AVX2, float16s, float16s, squares), DotF16: floats2(dotF16AVX2, float16s, float16s, products),
		DotF32U8: floats2(dotF32U8AVX2, float32s, uint8s, products), DotF32I8: floats2(dotF32I8AVX2, float32s, int8s, products),
		DotF32F16: floats2(dotF32F16AVX2, float32s, float16s, products),
		Codes:     codes2(),
		Products:  products2Table(),
	}
}

func ints2(blocks func(x, row *byte, blocks int) uint32, rest func(x, y []byte) uint32) Ints {
	return func(x, base []byte, stride, dim int, ids []uint32, out []uint32) {
		whole := dim / 16 * 16
		for j, id := range ids {
			row := base[int(id)*stride:][:dim]
			out[j] = rest(x[whole:dim], row[whole:])
			if whole > 0 {
				out[j] += blocks(&x[0], &row[0], whole/16)
			}
		}
	}
}

func floats2(blocks func(x, row *byte, blocks int, lanes *lanes), ofX, ofRow decode, step addTo) Floats {
	return func(x, base []byte, stride, dim int, ids []uint32, out []float64) {
		whole := dim / 16 * 16
		p := pairs.Get().(*pair)
		for j, id := range ids {
			row := base[int(id)*stride:]
			p.lanes = lanes{}
			if whole > 0 {
				blocks(&x[0], &row[0], whole/16, &p.lanes)
			}
			out[j] = p.sumFrom(whole, dim, x, row, ofX, ofRow, step)
		}
		pairs.Put(p)
	}
}

//go:noescape
func squaredU8AVX2(x, row *byte, blocks int) uint32

//go:noescape
func dotU8AVX2(x, row *byte, blocks int) uint32

//go:noescape
func squaredI8AVX2(x, row *byte, blocks int) uint32

//go:noescape
func dotI8AVX2(x, row *byte, blocks int) uint32

//go:noescape
func squaredF32AVX2(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func dotF32AVX2(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func squaredF16AVX2(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func dotF16AVX2(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func dotF32F16AVX2(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func dotF32U8AVX2(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func dotF32I8AVX2(x, row *byte, blocks int, lanes *lanes)
