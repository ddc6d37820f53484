package search

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// TestUnion: goroutines that unite at once give the components of a slow search from each place, called by
// their first places.
func TestUnion(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(3000)
		next := make([][]uint32, n)   // edges, as they are united
		beside := make([][]uint32, n) // the same, in both directions
		for range rng.IntN(2 * n) {
			a, b := rng.IntN(n), uint32(rng.IntN(n))
			next[a] = append(next[a], b, noLink)
			beside[a], beside[b] = append(beside[a], b), append(beside[b], uint32(a))
		}
		u := newUnion(n)
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				for p := g; p < n; p += 4 {
					u.unite(uint32(p), next[p])
				}
			})
		}
		all.Wait()
		want := make([]uint32, n)
		for i := range want {
			want[i] = noLink
		}
		for p := range want {
			if want[p] != noLink {
				continue
			}
			for open := []uint32{uint32(p)}; len(open) > 0; {
				q := open[len(open)-1]
				open = open[:len(open)-1]
				if want[q] == noLink {
					want[q] = uint32(p)
					open = append(open, beside[q]...)
				}
			}
		}
		for p, first := range want {
			if got := u.first(uint32(p)); got != first {
				t.Fatalf("seed %d: place %d of %d is in the component of %d, want %d", seed, p, n, got, first)
			}
		}
	}
}
