package hashrand_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/hashrand"
)

func TestLeast(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 2000 {
		lots := make([]uint64, 1+rng.IntN(200))
		for i := range lots {
			lots[i] = rng.Uint64N(1<<20)<<8 | uint64(i)
		}
		n := rng.IntN(len(lots) + 1)
		want := slices.Sorted(slices.Values(lots))[:n]
		hashrand.Least(lots, n)
		if got := slices.Sorted(slices.Values(lots[:n])); !slices.Equal(got, want) {
			t.Fatalf("seed %d: the least %d are %v, want %v", seed, n, got, want)
		}
	}
}
