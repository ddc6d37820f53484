// Package hashrand makes random numbers by hashing a seed and a counter. A number depends on these two
// alone, so it is the same on every machine and in every order of drawing.
package hashrand

// Mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of
// the 64-bit integers whose output bits all depend on all input bits.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Least moves the n least of some numbers, which differ, to the front, in no order: Hoare's
// selection, whose pivots are as good as drawn.
func Least(numbers []uint64, n int) {
	for lo, hi := 0, len(numbers)-1; lo < hi; {
		pivot, i, j := numbers[(lo+hi)/2], lo, hi
		for i <= j {
			for numbers[i] < pivot {
				i++
			}
			for numbers[j] > pivot {
				j--
			}
			if i <= j {
				numbers[i], numbers[j] = numbers[j], numbers[i]
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
