package propagation

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/candidates"
)

// TestListings: every place that is entered gathers its list and all rows that list it, and the marks are off these
// entries alone: of places in one stretch or in many, of rows in one chunk or so far apart that each takes one, and of hubs.
func TestListings(t *testing.T) {
	const n, k = 9000, 6
	for _, shift := range []int{4, 12, 18, 26} {
		rng := rand.New(rand.NewPCG(uint64(shift), 5))
		lists := candidates.New(n, k, 2)
		before := make([][]candidates.Entry, n)
		for p := range before {
			for _, q := range rng.Perm(40)[:rng.IntN(k+1)] {
				place := uint32(p+q*q) % n
				if q < 3 {
					place = uint32(q) // a hub
				}
				before[p] = append(before[p], candidates.MakeEntry(rng.Uint32(), place, rng.Uint32N(4)))
			}
			slices.Sort(before[p])
			lists.Set(uint32(p), before[p])
		}
		const fresh, from = k - 2, 8
		r := NewRound(lists, 10)
		r.Fresh(fresh)
		r.listings.shift = shift
		if err := r.Enter(from, 3); err != nil {
			t.Fatal(err)
		}
		entered := func(p uint32) bool { return Part(p) >= from && Part(p) < r.Entered() }
		own, listing := make([][]uint32, n), make([][]uint32, n)
		for p, list := range before {
			for i, e := range list {
				gathered := func(place uint32, mark uint32) uint32 {
					if i < fresh && e.Marks()&mark != 0 {
						return place<<1 | 1
					}
					return place << 1
				}
				want := e
				if entered(uint32(p)) {
					own[p] = append(own[p], gathered(e.Place(), candidates.NewHere))
					want &^= candidates.NewHere
				}
				if entered(e.Place()) {
					listing[e.Place()] = append(listing[e.Place()], gathered(uint32(p), candidates.NewThere))
					want &^= candidates.NewThere
				}
				if got := lists.At(uint32(p), i); got != want {
					t.Fatalf("stretches of 1<<%d: entry %d of place %d is %x, want %x", shift, i, p, got, want)
				}
			}
		}
		for p := range uint32(n) {
			if !entered(p) {
				continue
			}
			got := slices.Sorted(slices.Values(r.listing(p)))
			slices.Sort(listing[p])
			if !slices.Equal(got, listing[p]) || !slices.Equal(r.frozen(p), own[p]) {
				t.Fatalf("stretches of 1<<%d: place %d is listed by %d, and lists %d, want %d and %d", shift, p, got, r.frozen(p), listing[p], own[p])
			}
		}
		r.Free()
	}
}
