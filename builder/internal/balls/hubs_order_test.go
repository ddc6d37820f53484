package balls

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMostListed: a count of every place and a sort of all entries rank places alike, and none without entries.
func TestMostListed(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	for _, entries := range []int{0, 1, 5000} {
		const n = 700
		listed := make([]uint32, entries)
		for i := range listed {
			listed[i] = uint32(rng.IntN(n) * rng.IntN(n) / n)
		}
		each := func(fn func(uint32)) {
			for _, place := range listed {
				fn(place)
			}
		}
		a, b := counted(n, each), sorted(n, each)
		if !slices.Equal(a, b) {
			t.Errorf("%d entries: ranks differ", entries)
		}
		if got := mostListed(n, 20, each); len(got) != min(20, len(a)) || !slices.IsSorted(got) {
			t.Errorf("%d entries: the most listed are %v", entries, got)
		}
	}
}
