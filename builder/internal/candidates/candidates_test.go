package candidates

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
)

func tile(t testing.TB) *codes.Tile {
	rows, err := vectors.RowsOf(make([]byte, 4), 1, 4, 4, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	space, err := distance.New(distance.Euclidean, vectors.Uint8, 4)
	if err != nil {
		t.Fatal(err)
	}
	m, err := codes.Of(rows, space, codes.Rounding{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m.NewTile()
}

// TestOffersInAnyOrder: lists hold the smallest entries offered, whoever offered
// them and in whatever order.
func TestOffersInAnyOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	const n, k = 50, 7
	distanceOf := func(a, b uint32) uint32 { return (a*b + a + b) % 13 }
	type pair struct{ a, b uint32 }
	var pairs []pair
	want := make([][]Entry, n)
	for range 3000 {
		a, b := rng.Uint32N(n), rng.Uint32N(n)
		pairs = append(pairs, pair{a, b})
		if a != b {
			want[a] = append(want[a], MakeEntry(distanceOf(a, b), b, NewHere|NewThere))
		}
	}
	l := New(n, k, 2)
	var g sync.WaitGroup
	for part := range slices.Chunk(pairs, 500) {
		g.Go(func() {
			tl := tile(t)
			for _, p := range part {
				d, ids := [17]uint32{distanceOf(p.a, p.b)}, [17]uint32{p.b}
				l.Offer(tl, p.a, d[:1], ids[:1])
			}
		})
	}
	g.Wait()
	for p := range uint32(n) {
		slices.Sort(want[p])
		want[p] = slices.Compact(want[p])
		want[p] = want[p][:min(k, len(want[p]))]
		if l.Len(p) != len(want[p]) {
			t.Fatalf("list %d has %d entries, want %d", p, l.Len(p), len(want[p]))
		}
		for i, e := range want[p] {
			if l.At(p, i) != e {
				t.Fatalf("entry %d of list %d is %x, want %x", i, p, l.At(p, i), e)
			}
		}
		bound := ^uint32(0)
		if len(want[p]) == k {
			bound = want[p][k-1].Distance()
		}
		if l.Bound(p) != bound {
			t.Fatalf("bound of %d is %d, want %d", p, l.Bound(p), bound)
		}
	}
}

func TestClear(t *testing.T) {
	l := New(3, 2, 1)
	l.Set(1, []Entry{MakeEntry(5, 0, NewHere), MakeEntry(6, 2, 0)})
	l.Limit(2, 7)
	l.Clear(2)
	for p := range uint32(3) {
		if l.Len(p) != 0 || l.Bound(p) != ^uint32(0) {
			t.Errorf("list %d has %d entries and bound %d", p, l.Len(p), l.Bound(p))
		}
	}
}

func TestEntriesAndSet(t *testing.T) {
	l := New(3, 2, 1)
	l.Set(1, []Entry{MakeEntry(5, 0, NewHere), MakeEntry(6, 2, NewThere)})
	l.Set(2, []Entry{MakeEntry(7, 0, 0)})
	list := l.Entries(1)
	if len(list) != 2 || list[0].Place() != 0 || list[0].Marks() != NewHere || list[1].Place() != 2 || list[1].Marks() != NewThere {
		t.Errorf("entries %x", list)
	}
	if len(l.Entries(2)) != 1 || len(l.Entries(0)) != 0 {
		t.Errorf("%d and %d entries, want 1 and none", len(l.Entries(2)), len(l.Entries(0)))
	}
	list[0] &^= NewHere
	if l.At(1, 0) != MakeEntry(5, 0, 0) || l.Bound(1) != 6 || l.Bound(0) != ^uint32(0) {
		t.Error("a mark taken off is still there, or bounds are wrong")
	}
}

func ExampleEntry() {
	e := MakeEntry(9, 4, NewThere)
	fmt.Println(e.Distance(), e.Place(), e.Marks()&NewHere != 0, e.Marks()&NewThere != 0)
	// Output: 9 4 false true
}
