//go:build amd64 && !noasm

package simd

// withApart adds the kernels of absolute differences, by AVX2.
func withApart(k *Kernel) *Kernel {
	k.AbsoluteF32 = floatsBy(absoluteF32AVX2, float32s, float32s, absolutes)
	k.LargestF32 = largestBy(largestF32AVX2)
	return k
}

// absolutes adds the absolute differences of elements to their lanes.
func absolutes(l *lanes, x, y []float32) {
	for i := range x {
		l[i%16] += float64(max(x[i]-y[i], y[i]-x[i])) // rounded to float32 first
	}
}

// largestBy looks at blocks by assembly, of one pair at a time, and at the rest in Go.
func largestBy(blocks func(x, row *byte, blocks int) float32) Floats {
	return func(x, base []byte, stride, dim int, ids []uint32, out []float64) {
		whole := dim / 16 * 16
		p := pairs.Get().(*pair)
		for j, id := range ids {
			row := base[int(id)*stride:]
			if j+2 < len(ids) {
				prefetchRows(&base[0], stride, &ids[j+2], 1, stride)
			}
			var largest float32
			if whole > 0 {
				largest = blocks(&x[0], &row[0], whole/16)
			}
			xs, ys := p.xs[:dim-whole], p.ys[:dim-whole]
			float32s(xs, x, whole)
			float32s(ys, row, whole)
			for i := range xs {
				largest = max(largest, xs[i]-ys[i], ys[i]-xs[i])
			}
			out[j] = float64(largest)
		}
		pairs.Put(p)
	}
}

//go:noescape
func absoluteF32AVX2(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func largestF32AVX2(x, row *byte, blocks int) float32
