package recall

import "slices"

// Streams of a seed.
const (
	steerStream  = 1
	reportStream = 2
)

// Sample draws m distinct rows of 0..n-1, every set of m equally likely, and
// returns them ascending; all rows if m >= n, none if m <= 0. The same
// arguments give the same rows on every machine and with every release. Other
// streams of a seed give independent samples.
//
// It takes time and memory in m alone.
func Sample(n, m int, seed, stream uint64) []uint32 {
	m = max(0, min(m, n))
	r := newRandom(seed, stream)
	// Floyd's method: row j enters, or in its place a row below it that is not
	// yet in; no draw is wasted.
	in := make(map[uint32]struct{}, m)
	rows := make([]uint32, 0, m)
	for j := n - m; j < n; j++ {
		row := uint32(r.below(uint64(j) + 1))
		if _, taken := in[row]; taken {
			row = uint32(j)
		}
		in[row] = struct{}{}
		rows = append(rows, row)
	}
	slices.Sort(rows)
	return rows
}

// Disjoint draws two samples without a row in common, both ascending. steer
// depends on n, mSteer and seed alone, so it may be drawn before mReport is
// known. Where n is too small for both, report is cut short.
func Disjoint(n, mSteer, mReport int, seed uint64) (steer, report []uint32) {
	steer = Sample(n, mSteer, seed, steerStream)
	return steer, Apart(n, steer, mReport, seed, reportStream)
}

// Report draws, apart from the rows that steered, the sample that Disjoint would.
func Report(n int, steer []uint32, m int, seed uint64) []uint32 {
	return Apart(n, steer, m, seed, reportStream)
}

// Apart draws m distinct rows of 0..n-1 that are not among others, which ascend,
// and returns them ascending.
func Apart(n int, others []uint32, m int, seed, stream uint64) []uint32 {
	drawn := Sample(n-len(others), m, seed, stream)
	// They were drawn from the rows that remain, numbered from 0: give them their
	// own numbers.
	before := 0
	for i, number := range drawn {
		for before < len(others) && others[before] <= number+uint32(before) {
			before++
		}
		drawn[i] = number + uint32(before)
	}
	return drawn
}
