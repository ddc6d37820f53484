package rankorder_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/knng/knng/builder/refine/rankorder"
)

// literal is the definition, word for word.
func literal(k int, a uint32, as []uint32, b uint32, bs []uint32) float32 {
	f := func(x uint32, list []uint32) []uint32 { return append([]uint32{x}, list[:min(k, len(list))]...) }
	fa, fb := f(a, as), f(b, bs)
	rank := func(list []uint32, x uint32) int {
		if i := slices.Index(list, x); i >= 0 {
			return i
		}
		return k
	}
	d := func(from, in []uint32, upTo int) (sum int) {
		for i := 0; i <= upTo && i < len(from); i++ {
			sum += rank(in, from[i])
		}
		return sum
	}
	ab, ba := rank(fa, b), rank(fb, a)
	least := min(ab, ba)
	if least == 0 {
		least = 1
	}
	return float32(float64(d(fa, fb, ab)+d(fb, fa, ba)) / float64(least))
}

// randomList is a list of distinct rows other than self.
func randomList(rng *rand.Rand, self uint32, n, length int) (list []uint32) {
	for _, x := range rng.Perm(n) {
		if uint32(x) != self && len(list) < length {
			list = append(list, uint32(x))
		}
	}
	return list
}

func TestFollowsTheDefinition(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 3000 {
		n, k := 2+rng.IntN(40), 1+rng.IntN(12)
		c := rankorder.New(k)
		lists := make([][]uint32, n)
		for row := range lists { // longer and shorter than the cut
			lists[row] = randomList(rng, uint32(row), n, rng.IntN(2*k+1))
		}
		for range 20 {
			a, b := uint32(rng.IntN(n)), uint32(rng.IntN(n))
			c.From(a, lists[a])
			got := c.To(b, lists[b])
			if want := literal(k, a, lists[a], b, lists[b]); got != want {
				t.Fatalf("k=%d: D(%d %v, %d %v) = %v, want %v", k, a, lists[a], b, lists[b], got, want)
			}
			c.From(b, lists[b])
			if back := c.To(a, lists[a]); back != got {
				t.Fatalf("k=%d: D(%d,%d) = %v, the other way round %v", k, a, b, got, back)
			}
		}
	}
}

// TestByHand: mutual nearest neighbors, a row in one list only, and strangers.
func TestByHand(t *testing.T) {
	lists := map[uint32][]uint32{0: {1, 2}, 1: {0, 2}, 2: {1, 3}, 3: {2, 4}, 4: {5, 3}, 5: {4, 6}}
	for _, c := range []struct {
		a, b uint32
		want float32
	}{
		{0, 0, 0}, // no terms but a rank of 0; the minimum counts as 1
		{0, 1, 2}, // O_1(0)+O_1(1) = 1, and as much the other way, over 1
		{0, 2, 4}, // O_2(0,1,2) = 2+1+0; O_0(2,1,3) = 2+1+2; over min(2, 2)
		{0, 5, 6}, // nothing in common: (2+2+2) + (2+2+2) over 2
	} {
		cmp := rankorder.New(2)
		cmp.From(c.a, lists[c.a])
		if got := cmp.To(c.b, lists[c.b]); got != c.want {
			t.Errorf("D(%d,%d) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	a, b := randomList(rng, 0, 1000, 100), randomList(rng, 1, 1000, 100)
	c := rankorder.New(100)
	if n := testing.AllocsPerRun(50, func() { c.From(0, a); c.To(1, b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleComparer() {
	lists := [][]uint32{{1, 2}, {0, 2}, {3, 1}, {2, 1}}
	c := rankorder.New(2)
	c.From(0, lists[0])
	for _, b := range []uint32{1, 2, 3} {
		fmt.Println(b, c.To(b, lists[b]))
	}
	// Output:
	// 1 2
	// 2 4.5
	// 3 5
}

func BenchmarkTo(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := randomList(rng, 0, 200, 100), randomList(rng, 1, 200, 100)
	c := rankorder.New(100)
	c.From(0, x)
	for b.Loop() {
		c.To(1, y)
	}
}
