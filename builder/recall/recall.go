// Package recall measures how much of the true k-NN graph a graph holds, from a
// sample of its rows: seeded samples, intervals, and truth files.
package recall

import "slices"

// Disjoint draws two samples without a common row from rows 0 to n-1, of a and
// b rows (fewer where n is smaller), each ascending. They depend on n, a, b and
// the seed alone, and the first does not depend on b.
func Disjoint(n, a, b int, seed uint64) (first, second []uint32) {
	a = min(a, n)
	b = min(b, n-a)
	drawn := draw(n, a+b, seed)
	first, second = slices.Clone(drawn[:a]), drawn[a:]
	slices.Sort(first)
	slices.Sort(second)
	return first, second
}

// Sample draws m rows from rows 0 to n-1, ascending.
func Sample(n, m int, seed uint64) []uint32 {
	sample, _ := Disjoint(n, m, 0, seed)
	return sample
}

// draw returns the first m entries of a random permutation of 0 to n-1: Fisher
// and Yates's shuffle, of which only the entries moved are kept.
func draw(n, m int, seed uint64) []uint32 {
	moved := map[uint32]uint32{}
	at := func(i uint32) uint32 {
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	out := make([]uint32, m)
	rng := splitMix(seed)
	for i := range out {
		j := uint32(i) + uint32(rng.below(uint64(n-i)))
		out[i] = at(j)
		moved[j] = at(uint32(i))
	}
	return out
}

// splitMix is SplitMix64 (Steele, Lea, Flood 2014): samples must not change
// with a Go release.
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	x := uint64(*s)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below returns a number below n. The bias of a plain remainder is under n/2^64.
func (s *splitMix) below(n uint64) uint64 { return s.next() % n }

// OfList is the share of a row's k nearest that a list holds: entries with keys
// at most the true k-th, truth[k-1]; ties count. Entries are distinct and none
// is the row itself.
func OfList(truth, list []float32) float64 {
	k := len(truth)
	if k == 0 {
		return 1
	}
	found := 0
	for _, key := range list {
		if key <= truth[k-1] {
			found++
		}
	}
	return float64(min(found, k)) / float64(k)
}
