//go:build amd64 && !noasm

package simd

import "math"

// stepsByEights2 makes steps of eight products at a time by AVX2. A difference beyond limit, which is
// worth 129 steps or one more factor, becomes the least or the largest code as limit does.
func stepsByEights2(n int, products, offsets *int32, factor int32, dst *byte) {
	limit := min(129<<StepsShift/int64(factor)+1, math.MaxInt32)
	steps2(n, products, offsets, factor, int32(limit), dst)
}

//go:noescape
func steps2(n int, products, offsets *int32, factor, limit int32, dst *byte)
