//go:build amd64 && !noasm

package simd

// withApart adds the kernels of absolute differences and of rows less their means, by AVX2.
func withApart(k *Kernel) *Kernel {
	k.AbsoluteF32, k.LargestF32, k.MovedF32 = rowsBy(absoluteF32AVX2), rowsBy(largestF32AVX2), rowsBy(movedF32AVX2)
	return k
}

//go:noescape
func absoluteF32AVX2(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func largestF32AVX2(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func movedF32AVX2(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)
