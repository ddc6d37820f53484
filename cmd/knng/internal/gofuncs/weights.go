package gofuncs

import "math/bits"

// fraction is how many bits of a fixed-point number stand after the point.
const fraction = 16

// log2 is the logarithm of x >= 1 in fixed point, rounded down: the integer part
// by the highest bit, then a bit for each squaring of the rest, in [1, 2).
func log2(x uint64) int64 {
	integer := bits.Len64(x) - 1
	m := x << (63 - integer) // 1.63 fixed point
	y := int64(integer)
	for range fraction {
		y <<= 1
		hi, lo := bits.Mul64(m, m)
		if hi>>63 == 1 { // the square is 2 or more
			m = hi
			y |= 1
		} else {
			m = hi<<1 | lo>>63
		}
	}
	return y
}

// weight is (1 + log2 times) * log2((n+1)/having) * factor, in fixed point.
func weight(times uint32, n, having int, factor int64) int64 {
	tf := 1<<fraction + log2(uint64(times))
	idf := log2(uint64(n)+1) - log2(uint64(having))
	return (tf * idf >> fraction) * factor
}
