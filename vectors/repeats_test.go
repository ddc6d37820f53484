package vectors

import (
	"math/rand/v2"
	"testing"
)

// TestRepeats: as many hashes are repeats as there are more hashes than different ones.
func TestRepeats(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, n := range []int{0, 1, 2, 3, 255, 5000} {
		for _, among := range []uint64{1, 2, 300, 1 << 40} {
			for _, shift := range []int{0, 24, 55} { // of one group, of some, of all
				hashes, different := make([]uint64, n), map[uint64]bool{}
				for i := range hashes {
					hashes[i] = rng.Uint64N(among) << shift
					different[hashes[i]] = true
				}
				got, err := repeats(hashes, 1+rng.IntN(4))
				if want := n - len(different); err != nil || got != want {
					t.Fatalf("%d hashes among %d, shifted by %d: %d repeats, %v, want %d", n, among, shift, got, err, want)
				}
			}
		}
	}
}
