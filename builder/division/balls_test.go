package division

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
)

// drawn are bytes below values.
func drawn(rng *rand.Rand, n, values int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rng.IntN(values))
	}
	return data
}

func codesOf(t testing.TB, data []byte, dim int) *codes.Matrix {
	rows, err := vectors.RowsOf(data, len(data)/dim, dim, dim, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	space, err := distance.New(distance.Euclidean, vectors.Uint8, dim)
	if err != nil {
		t.Fatal(err)
	}
	m, err := codes.Of(rows, space, codes.Rounding{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// leavesOf carves a whole division.
func leavesOf(t testing.TB, b *Balls, number uint32) (leaves [][]uint32) {
	balls, _, err := b.Root(context.Background(), number)
	if err != nil {
		t.Fatal(err)
	}
	for i, ball := range balls {
		// A worker of its own for each ball: nothing carries over.
		err := b.Worker(number).Carve(i, ball, func(leaf []uint32) error {
			slices.Sort(leaf)
			leaves = append(leaves, slices.Clone(leaf))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return leaves
}

// TestBallsCover: every place stands in as many leaves as the overlap says, each
// smaller than the leaf size; threads change nothing.
func TestBallsCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, c := range []struct{ n, dim, leaf, overlap, values int }{
		{1, 4, 10, 1, 256}, {9, 4, 10, 3, 256}, {10, 4, 10, 1, 256}, {500, 8, 10, 4, 256}, {3000, 16, 50, 1, 256},
		{3000, 16, 50, 7, 3}, {3000, 16, 50, 2, 1}, {5000, 2, 20, 30, 2}, {3000, 16, 10, 4, 256}, {6000, 3, 20, 40, 2}, {5000, 1, 10, 4, 1},
	} {
		data := drawn(rng, c.n*c.dim, c.values)
		b := &Balls{Codes: codesOf(t, data, c.dim), Seed: 5, LeafSize: c.leaf, Overlap: c.overlap, Threads: 3}
		leaves := leavesOf(t, b, 2)
		times := make([]int, c.n)
		for _, leaf := range leaves {
			if len(leaf) >= c.leaf || !slices.IsSorted(leaf) || len(slices.Compact(slices.Clone(leaf))) != len(leaf) {
				t.Fatalf("%+v: leaf %v", c, leaf)
			}
			for _, p := range leaf {
				times[p]++
			}
		}
		want := min(c.overlap, b.rootLeaders(c.n))
		if c.n < c.leaf {
			want = 1
		}
		for p, n := range times {
			if n != want {
				t.Fatalf("%+v: place %d stands in %d leaves, want %d", c, p, n, want)
			}
		}
		b.Threads = 1
		if !slices.EqualFunc(leaves, leavesOf(t, b, 2), slices.Equal) {
			t.Fatalf("%+v: another number of threads made other leaves", c)
		}
	}
}

// TestRootFollowsNearest holds the assignment against all distances.
func TestRootFollowsNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	const n, dim = 2000, 12
	data := drawn(rng, n*dim, 6)
	b := &Balls{Codes: codesOf(t, data, dim), Seed: 1, LeafSize: 50, Overlap: 5, Threads: 2}
	balls, _, err := b.Root(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	w := b.Worker(1)
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	w.node(1, all, b.rootLeaders(n))
	for p := range uint32(n) {
		var order []uint64
		for i, leader := range w.chosen {
			order = append(order, uint64(b.Codes.Distance(p, leader))<<32|uint64(i))
		}
		slices.Sort(order)
		for rank, o := range order {
			_, in := slices.BinarySearch(balls[uint32(o)], p)
			if in != (rank < b.Overlap) {
				t.Fatalf("place %d and its leader %d, the %d. nearest: in its ball: %v", p, uint32(o), rank, in)
			}
		}
	}
}

// TestGather: every ball has its places, in their order, however many goroutines gather them.
func TestGather(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	n, count, overlap := 3*gatherRows+rng.IntN(1000), 1+rng.IntN(300), 1+rng.IntN(4)
	places, assigned := make([]uint32, n), make([]uint16, n*overlap)
	want := make([][]uint32, count)
	for i, p := range rng.Perm(n) {
		places[i] = uint32(p)
		for j := range overlap {
			a := rng.IntN(count)
			assigned[i*overlap+j] = uint16(a)
			want[a] = append(want[a], places[i])
		}
	}
	for _, threads := range []int{1, 2, 3, 64} {
		got := gather(places, assigned, count, overlap, threads, make([]uint32, len(assigned)+threads%2))
		for ball := range want {
			if !slices.Equal(got[ball], want[ball]) {
				t.Fatalf("%d threads: ball %d has %d places, want %d, or they are others", threads, ball, len(got[ball]), len(want[ball]))
			}
		}
	}
}
