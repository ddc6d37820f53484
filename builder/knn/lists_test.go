package knn

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

type pair struct {
	id  uint32
	key float32
}

// slowUnion sorts everything offered and keeps the first k distinct.
func slowUnion(offers []pair, k int, rowOf []uint32) []pair {
	offers = slices.Clone(offers)
	slices.SortFunc(offers, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(rowOf[a.id], rowOf[b.id]))
	})
	offers = slices.Compact(offers)
	return offers[:min(k, len(offers))]
}

func TestOfferEqualsSlowUnion(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 500 {
		n, k := 2+rng.IntN(60), 1+rng.IntN(12)
		rowOf := make([]uint32, n)
		for i, r := range rng.Perm(n) {
			rowOf[i] = uint32(r)
		}
		keyOf := make([]float32, n) // few distinct keys: many ties
		for i := range keyOf {
			keyOf[i] = float32(rng.IntN(5))
		}
		l := New(n, k, rowOf)
		var offers []pair
		var snap Snapshot
		snap.Take(l, []uint32{0})
		for range rng.IntN(150) {
			id := uint32(1 + rng.IntN(n-1))
			if rng.IntN(20) == 0 {
				snap.Take(l, []uint32{0})
			}
			l.Offer(0, id, keyOf[id])
			offers = append(offers, pair{id, keyOf[id]})
		}
		want := slowUnion(offers, k, rowOf)
		ids, keys := l.List(0)
		got := make([]pair, len(ids))
		for i := range ids {
			got[i] = pair{ids[i], keys[i]}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: got %v, want %v", seed, got, want)
		}
		checkAdded(t, l, &snap, ids)
	}
}

func TestMergeEqualsSlowUnion(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	var m Merger
	for range 500 {
		n, k := 2+rng.IntN(60), 1+rng.IntN(12)
		keyOf := make([]float32, n)
		rowOf := make([]uint32, n)
		for i, r := range rng.Perm(n) {
			keyOf[i], rowOf[i] = float32(rng.IntN(5)), uint32(r)
		}
		l := New(n, k, rowOf)
		var offers []pair
		for range rng.IntN(8) {
			var some []pair
			for range rng.IntN(2 * k) {
				id := uint32(1 + rng.IntN(n-1))
				some = append(some, pair{id, keyOf[id]})
			}
			offers = append(offers, some...)
			some = slowUnion(some, len(some), rowOf)
			ids, keys := make([]uint32, len(some)), make([]float32, len(some))
			for i, x := range some {
				ids[i], keys[i] = x.id, x.key
			}
			m.Merge(l, 0, ids, keys)
			ids, keys = l.List(0)
			var got []pair
			for i := range ids {
				got = append(got, pair{ids[i], keys[i]})
			}
			if want := slowUnion(offers, k, rowOf); !slices.Equal(got, want) {
				t.Fatalf("seed %d: got %v, want %v", seed, got, want)
			}
		}
	}
}

// checkAdded holds Added against a set difference.
func checkAdded(t *testing.T, l *Lists, snap *Snapshot, ids []uint32) {
	t.Helper()
	old := slices.Clone(snap.ids)
	var want, got []uint32
	for _, id := range ids {
		if !slices.Contains(old, id) {
			want = append(want, id)
		}
	}
	snap.Added(l, func(_ uint32, ids []uint32, _ []float32) { got = slices.Clone(ids) })
	if !slices.Equal(got, want) {
		t.Fatalf("added %v, want %v", got, want)
	}
}

func TestOfferAllocatesNothing(t *testing.T) {
	l := New(4, 3, nil)
	if a := testing.AllocsPerRun(100, func() {
		l.Offer(0, 1, 3)
		l.Offer(0, 2, 2)
		l.Offer(0, 3, 1)
	}); a != 0 {
		t.Fatalf("%v allocations", a)
	}
}

func BenchmarkOfferBoth(b *testing.B) {
	const rows, k = 250, 20
	places, js, keys := make([]uint32, rows), make([]uint32, rows), make([]float32, rows)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range places {
		places[i], js[i], keys[i] = uint32(i), uint32(i), rng.Float32()
	}
	l := New(rows, k, nil)
	b.ResetTimer()
	for i := range b.N {
		l.OfferBoth(places, i%rows, js[i%rows+1:], keys[i%rows+1:])
	}
}

// TestInfiniteKey: a list with room takes a neighbor that is infinitely far.
func TestInfiniteKey(t *testing.T) {
	l := New(1, 2, []uint32{7, 8})
	if !l.Offer(0, 1, float32(math.Inf(1))) {
		t.Error("it does not enter")
	}
	if ids, _ := l.List(0); len(ids) != 1 || ids[0] != 1 {
		t.Errorf("list %v, want [1]", ids)
	}
}
