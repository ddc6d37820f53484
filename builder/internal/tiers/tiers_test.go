package tiers

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn are lists of n places that miss neighbors, and the rows that steer.
func drawn(rng *rand.Rand, n, k int) (near [][]uint32, last []uint32, l *Lists, truth *Truth) {
	near, last = make([][]uint32, n), make([]uint32, n)
	for i := range near {
		for range k {
			near[i] = append(near[i], rng.Uint32N(uint32(n)))
		}
		last[i] = rng.Uint32N(10)
	}
	var places []uint32
	var lists [][]uint32
	found, all := 0, 0
	for i := 0; i < n; i += 3 {
		list := slices.Clone(near[i])
		for j := range list {
			if rng.IntN(5) == 0 {
				list[j] = rng.Uint32N(uint32(n))
			}
			if slices.Contains(near[i], list[j]) {
				found++
			}
			all++
		}
		places, lists = append(places, uint32(i)), append(lists, list)
	}
	l = &Lists{N: n, Near: func(p uint32) []uint32 { return near[p] }, Last: func(p uint32) uint32 { return last[p] }}
	return near, last, l, &Truth{Places: places, Near: func(i int) []uint32 { return lists[i] }, Recall: float64(found) / float64(all)}
}

// TestForetold: tiers are even, and the recall after each is that of lists in which its rows have met
// all others.
func TestForetold(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 50 {
		near, _, l, truth := drawn(rng, Count+rng.IntN(300), 1+rng.IntN(9))
		if rng.IntN(2) == 0 {
			l.Changed = func(p uint32) int { return int(p) % 7 }
		}
		got := Of(l, truth, 0.9)
		var sizes [Count]int
		for _, tier := range got.Of {
			sizes[tier]++
		}
		if slices.Max(sizes[:])-slices.Min(sizes[:]) > 1 || len(got.Of) != l.N {
			t.Fatalf("seed %d: tiers of %v rows", seed, sizes)
		}
		for tier := range Count {
			found, all := 0, 0
			for i, place := range truth.Places {
				for _, other := range truth.Near(i) {
					if min(int(got.Of[place]), int(got.Of[other])) <= tier || slices.Contains(near[place], other) {
						found++
					}
					all++
				}
			}
			if want := float64(found) / float64(all); math.Abs(got.After[tier]-want) > 1e-9 {
				t.Fatalf("seed %d: after tier %d recall %v is expected, want %v", seed, tier, got.After[tier], want)
			}
		}
		if needed := got.Needed(0.9); needed < Count && got.After[needed-1] < 0.9 || needed > 1 && got.After[needed-2] >= 0.9 {
			t.Errorf("seed %d: %d tiers for 0.9 of %v", seed, needed, got.After)
		}
	}
}

// TestTheBestOrderIsTaken: where the rows that are listed most are missing, these come first; where
// the lists of rows in thin regions miss neighbors, those do.
func TestTheBestOrderIsTaken(t *testing.T) {
	const n = 1600
	rng := rand.New(rand.NewPCG(1, 1))
	for _, want := range []string{"listed", "far"} {
		near := make([][]uint32, n)
		thin := func(p uint32) bool { return p%10 == 3 }
		hub := func(p uint32) bool { return p%10 == 7 }
		var places []uint32
		var missing [][]uint32
		for p := range uint32(n) {
			other := 10 * rng.Uint32N(n/10)
			near[p] = []uint32{other + 7, other + 7, other + 7, other + 7, other + 1}
			places = append(places, p)
			switch {
			case want == "listed":
				missing = append(missing, []uint32{10*rng.Uint32N(n/10) + 7})
			case thin(p):
				missing = append(missing, []uint32{10*rng.Uint32N(n/10) + 5})
			default:
				missing = append(missing, near[p])
			}
		}
		l := &Lists{N: n, Near: func(p uint32) []uint32 { return near[p] }, Last: func(p uint32) uint32 {
			if thin(p) {
				return 9
			}
			return 1
		}}
		got := Of(l, &Truth{Places: places, Near: func(i int) []uint32 { return missing[i] }, Recall: 0.5}, 0.99)
		first := 0
		for p, tier := range got.Of {
			if tier <= 1 && (want == "listed" && hub(uint32(p)) || want == "far" && thin(uint32(p))) {
				first++
			}
		}
		if got.ByName != want || got.Needed(0.99) != 2 || first < n/10-3 {
			t.Errorf("by %s, %d tiers, %d rows first; want by %s, 2 tiers, %d rows", got.ByName, got.Needed(0.99), first, want, n/10)
		}
	}
}

func TestShare(t *testing.T) {
	if Share(Count) != 1 || Share(Count/2) != 0.75 || Share(0) != 0 {
		t.Errorf("no tier, half of them and all take %v, %v and %v of all pairs", Share(0), Share(Count/2), Share(Count))
	}
}
