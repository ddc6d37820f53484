// Package lot makes random numbers by hashing a seed and a counter. A number depends on these two
// alone, so it is the same on every machine and in every order of drawing.
package lot

// Mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of
// the 64-bit integers whose output bits all depend on all input bits.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Least moves the n least of lots, which differ, to the front, in no order: Hoare's
// selection, whose pivots are as good as drawn.
func Least(lots []uint64, n int) {
	for lo, hi := 0, len(lots)-1; lo < hi; {
		pivot, i, j := lots[(lo+hi)/2], lo, hi
		for i <= j {
			for lots[i] < pivot {
				i++
			}
			for lots[j] > pivot {
				j--
			}
			if i <= j {
				lots[i], lots[j] = lots[j], lots[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			hi = j
		case n > i:
			lo = i
		default:
			return
		}
	}
}
