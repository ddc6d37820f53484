package gofuncs

import "math/bits"

// fraction is how many bits of a fixed-point number stand after the point.
const fraction = 16

// log2 is the logarithm of x >= 1 in fixed point, rounded down: the integer part
// by the highest bit, then a bit for each squaring of what is left in [1, 2).
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

// hash is FNV-1a over the bytes, in 64 bits, and then mixed: FNV alone leaves
// its high bits poor for short texts, and they choose the element.
func hash(text []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range text {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return mix(h)
}
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>32) * 0x9e3779b97f4a7c15 // 2^64 over the golden ratio, odd
	h = (h ^ h>>29) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// slot is the element of a row of dim elements that a hash adds to, and its
// sign: the high half scaled to dim, and the lowest bit.
func slot(h uint64, dim int) (at int, sign int64) {
	return int((h >> 32) * uint64(dim) >> 32), 1 - int64(h&1)<<1
}
