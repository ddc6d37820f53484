package vectors

import "math"

// Float16ToFloat32 converts binary16 to binary32, exactly.
func Float16ToFloat32(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp := uint32(h>>10) & 31
	frac := uint32(h) & 1023
	switch exp {
	case 31: // Inf, NaN
		return math.Float32frombits(sign | 255<<23 | frac<<13)
	case 0: // zero and subnormals: frac * 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(frac)*(1.0/(1<<24))))
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// Float32ToFloat16 converts binary32 to binary16, rounding to nearest, ties to
// even. Values beyond 65519 become infinities.
func Float32ToFloat16(f float32) uint16 {
	bits := math.Float32bits(f)
	sign := uint16(bits>>16) & 0x8000
	abs := bits &^ (1 << 31)
	switch {
	case abs > 0x7f800000: // NaN, kept quiet
		return sign | 0x7e00
	case abs >= 0x477ff000: // 65520 and more, infinities
		return sign | 0x7c00
	case abs < 0x38800000: // below the smallest normal, 2^-14
		// Adding 0.5 leaves the multiple of 2^-24 in the low bits, rounded.
		return sign | uint16(math.Float32bits(math.Float32frombits(abs)+0.5)-math.Float32bits(0.5))
	}
	odd := abs >> 13 & 1
	return sign | uint16((abs-112<<23+0xfff+odd)>>13)
}
