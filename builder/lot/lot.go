// Package lot draws lots by hashing: what is drawn follows from a seed and from
// what is drawn for, and is the same on every machine and in every order.
package lot

// Mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of
// the 64-bit integers whose output bits all depend on all input bits.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
