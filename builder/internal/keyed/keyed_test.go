package keyed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
)

// TestLeaf: whatever scale a leaf has and wherever it lies, lists hold the nearest of all its
// pairs by (key, place), by codes of its own or by keys alone.
func TestLeaf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		n, dim    int
		at, scale float64
	}{{300, 16, 0, 1}, {300, 16, 1000, 1e-3}, {200, 40, -5, 1e5}, {50, 16, 1, 1}, {300, 3, 7, 0}} {
		data := make([]float32, c.n*c.dim)
		for i := range data {
			data[i] = float32(c.at + c.scale*rng.NormFloat64())
		}
		rows, err := vectors.FromFloat32(data, c.dim)
		if err != nil {
			t.Fatal(err)
		}
		space, err := distance.New(distance.Euclidean, vectors.Float32, c.dim)
		if err != nil {
			t.Fatal(err)
		}
		m, err := codes.Of(rows, space, codes.FitRows(rows, space), 1)
		if err != nil {
			t.Fatal(err)
		}
		keys := func(x uint32, ids []uint32, out []float32) (int, error) {
			space.Keys(rows.Row(int(x)), 0, rows.Base(), rows.Stride(), nil, ids, out)
			return len(ids), nil
		}
		const k = 9
		lists := candidates.New(c.n, k, 1)
		places := make([]uint32, c.n)
		for i := range places {
			places[i] = uint32(i)
		}
		pairs, err := New(lists, keys, m.NewTile()).Leaf(Rows{rows, space}, slices.Clone(places))
		if err != nil || pairs != c.n*(c.n-1)/2 {
			t.Fatalf("%+v: %d pairs, %v", c, pairs, err)
		}
		for _, x := range places {
			var want []candidates.Entry
			for _, y := range places {
				if y != x {
					key := space.Key(rows.Row(int(x)), rows.Row(int(y)), 0, 0)
					want = append(want, candidates.MakeEntry(candidates.Ordered(key), y, candidates.NewHere|candidates.NewThere))
				}
			}
			slices.Sort(want)
			for i := range k {
				if got := lists.At(x, i); got != want[i] {
					t.Fatalf("%+v: entry %d of place %d: place %d at %v, want %d at %v", c, i, x, got.Place(), candidates.KeyOf(got.Distance()), want[i].Place(), candidates.KeyOf(want[i].Distance()))
				}
			}
		}
		lists.Free()
	}
}

// TestOrdered: numbers are in the order of keys, and tell them.
func TestOrdered(t *testing.T) {
	keys := []float32{-math.MaxFloat32, -1, -1e-40, 0, 1e-40, 1, math.MaxFloat32}
	for i, key := range keys {
		if candidates.KeyOf(candidates.Ordered(key)) != key {
			t.Errorf("%v comes back as %v", key, candidates.KeyOf(candidates.Ordered(key)))
		}
		if i > 0 && candidates.Ordered(keys[i-1]) >= candidates.Ordered(key) {
			t.Errorf("%v is not before %v", keys[i-1], key)
		}
	}
	if zero := float32(0); candidates.Ordered(float32(math.Copysign(0, -1))) != candidates.Ordered(zero) {
		t.Error("0 of one sign is before 0 of the other")
	}
}
