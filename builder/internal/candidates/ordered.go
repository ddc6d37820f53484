package candidates

import "math"

// Ordered maps a key to a number so that numbers compare as keys do. It replaces the distance in an entry if
// lists hold keys. No finite key gives the largest number, which means none.
func Ordered(key float32) uint32 {
	if key == 0 { // of either sign
		key = 0
	}
	b := math.Float32bits(key)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

// KeyOf returns the key of such a number.
func KeyOf(ordered uint32) float32 {
	return math.Float32frombits(ordered ^ (^uint32(int32(ordered)>>31) | 1<<31))
}
