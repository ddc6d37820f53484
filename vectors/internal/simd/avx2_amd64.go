//go:build amd64 && !noasm

package simd

// avx2 returns the kernels of AVX2 with FMA. Those of float32 rows, and the squares of bytes, walk
// the ids in assembly. The dot products of bytes, and the kernels of float16 rows, sum whole blocks of
// 16 elements of one pair in assembly, and intsBy and floatsBy add the rest.
func avx2() *Kernel {
	return &Kernel{
		Name:      "avx2",
		SquaredU8: squares2(0, squaredU8), DotU8: intsBy(dotU8AVX2, dotU8),
		SquaredI8: squares2(0x80, squaredI8), DotI8: intsBy(dotI8AVX2, dotI8),
		SquaredF32: rowsBy(squaredF32AVX2), DotF32: rowsBy(dotF32AVX2),
		SquaredF16: floatsBy(squaredF16AVX2, 2, 2), DotF16: floatsBy(dotF16AVX2, 2, 2),
		DotF32U8: floatsBy(dotF32U8AVX2, 4, 1), DotF32I8: floatsBy(dotF32I8AVX2, 4, 1),
		DotF32F16:   floatsBy(dotF32F16AVX2, 4, 2),
		AbsoluteF32: rowsBy(absoluteF32AVX2), LargestF32: rowsBy(largestF32AVX2),
		MovedF32: rowsBy(movedF32AVX2),
		Round:    round2Of,
		Subtract: subtractBy(8, subtract2),
		Codes:    codes2(),
		Products: products2Table(),
	}
}

func round2Of(x []float32, norm float64, offsets []float64, perUnit float64, dst []byte) (apart float64) {
	n := len(x) &^ 3
	if n > 0 {
		_, _ = offsets[n-1], dst[n-1]
		apart = round2(n, &x[0], norm, &offsets[0], perUnit, &dst[0])
	}
	return apart + roundGo(x[n:], norm, offsets[n:], perUnit, dst[n:])
}

//go:noescape
func round2(n int, x *float32, norm float64, offsets *float64, perUnit float64, dst *byte) (apart float64)

// avx2Bytes is avx2 where the CPU multiplies bytes.
func avx2Bytes() *Kernel {
	k := avx2()
	k.Name, k.Codes = "avxvnni", codes2Bytes()
	return k
}

//go:noescape
func dotU8AVX2(x, row *byte, blocks int) uint32

//go:noescape
func dotI8AVX2(x, row *byte, blocks int) uint32

//go:noescape
func squaredF32AVX2(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func dotF32AVX2(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

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

//go:noescape
func absoluteF32AVX2(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func largestF32AVX2(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func movedF32AVX2(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)
