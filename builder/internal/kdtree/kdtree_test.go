package kdtree

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// shapes are rows of some kind each: with ties, copies, outliers, constant columns.
var shapes = map[string]func(rng *rand.Rand, i int) float32{
	"uniform":  func(rng *rand.Rand, _ int) float32 { return rng.Float32() },
	"grid":     func(rng *rand.Rand, _ int) float32 { return float32(rng.IntN(4)) },
	"one row":  func(*rand.Rand, int) float32 { return 3 },
	"cauchy":   func(rng *rand.Rand, _ int) float32 { return float32(math.Tan(math.Pi * (rng.Float64() - 0.5))) },
	"tiny":     func(rng *rand.Rand, _ int) float32 { return 1e-30 * rng.Float32() },
	"denormal": func(rng *rand.Rand, _ int) float32 { return math.Float32frombits(uint32(rng.IntN(100))) },
	"sorted":   func(rng *rand.Rand, i int) float32 { return float32(i) + rng.Float32() },
	"mixed": func(rng *rand.Rand, i int) float32 {
		return float32(math.Pow(10, float64(rng.IntN(12)-6))) * float32(rng.NormFloat64())
	},
}

// brute returns the k nearest rows of a row by the keys of package distance.
func brute(space *distance.Space, rows *vectors.Rows, row, k int) (ids []uint32, keys []float32) {
	type entry struct {
		row uint32
		key float32
	}
	var all []entry
	for i := range rows.Len() {
		if i != row {
			all = append(all, entry{uint32(i), space.Key(rows.Row(row), rows.Row(i), 0, 0)})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row)) })
	for _, e := range all[:min(k, len(all))] {
		ids, keys = append(ids, e.row), append(keys, e.key)
	}
	return ids, keys
}

// TestBruteForce: lists are those of brute force, to the bit of every key.
func TestBruteForce(t *testing.T) {
	for name, shape := range shapes {
		for _, n := range []int{1, 2, 3, leafRows, leafRows + 1, 100, 777} {
			for dim := 1; dim <= MaxDim; dim++ {
				k := []int{1, 5, 20, 1000}[(n+dim)%4]
				t.Run(fmt.Sprintf("%s/%dx%d/k%d", name, n, dim, k), func(t *testing.T) { compare(t, shape, n, dim, k) })
			}
		}
	}
}

func compare(t *testing.T, shape func(*rand.Rand, int) float32, n, dim, k int) {
	rng, values := rand.New(rand.NewPCG(uint64(n), uint64(dim))), make([]float32, n*dim)
	for i := range values {
		values[i] = shape(rng, i/dim)
	}
	rows, err := vectors.FromFloat32(slices.Clone(values), dim)
	if err != nil {
		t.Fatal(err)
	}
	space, err := distance.New(distance.Euclidean, vectors.Float32, dim)
	if err != nil {
		t.Fatal(err)
	}
	tree, order := New(values, dim, 2)
	search := tree.Searcher(max(1, min(k, n-1)))
	for p := 0; p < n; p += max(1, n/50) {
		places, keys := search.Nearest(p)
		wantIDs, wantKeys := brute(space, rows, int(order[p]), k)
		ids := make([]uint32, len(places))
		for i, place := range places {
			ids[i] = order[place]
		}
		if n > 1 && (!slices.Equal(ids, wantIDs) || !slices.Equal(keys, wantKeys)) {
			t.Fatalf("row %d: %v %v, want %v %v", order[p], ids, keys, wantIDs, wantKeys)
		}
	}
}

// TestOrdered: a tree of rows in the tree's order is the same tree, by any number of
// threads, and sorting them again leaves them where they are.
func TestOrdered(t *testing.T) {
	const n, dim = 5000, 3
	rng, values := rand.New(rand.NewPCG(1, 1)), make([]float32, n*dim)
	for i := range values {
		values[i] = float32(rng.IntN(50))
	}
	other := slices.Clone(values)
	tree, order := New(values, dim, 1)
	_, parallel := New(other, dim, 5)
	if !slices.Equal(order, parallel) {
		t.Error("threads change the order")
	}
	again := Ordered(values, dim, order, 4)
	if !slices.Equal(again.boxes, tree.boxes) {
		t.Error("the tree of ordered rows is another one")
	}
}

// TestCopies: rows that are all equal, and a grid with many ties, take few pairs each.
func TestCopies(t *testing.T) {
	const n, k = 20_000, 10
	for name, value := range map[string]func(i int) float32{
		"equal": func(int) float32 { return 1 },
		"half":  func(i int) float32 { return float32(i%2) * float32(i) },
		"grid":  func(i int) float32 { return float32(i % 141) },
	} {
		values := make([]float32, 2*n)
		for i := range n {
			values[2*i], values[2*i+1] = value(i), value(i)/2
		}
		tree, _ := New(values, 2, 2)
		if visits := tree.Visits(k, 500); visits > 2000 {
			t.Errorf("%s: %v pairs a row of %d", name, visits, n)
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	for _, dim := range []int{2, 3, 5} {
		b.Run(fmt.Sprint(dim), func(b *testing.B) {
			rng, values := rand.New(rand.NewPCG(1, 1)), make([]float32, 100_000*dim)
			for i := range values {
				values[i] = rng.Float32()
			}
			tree, _ := New(values, dim, 2)
			s := tree.Searcher(20)
			for i := 0; b.Loop(); i++ {
				s.Nearest(i % 100_000)
			}
			b.ReportMetric(float64(s.Compared)/float64(b.N), "pairs/op")
		})
	}
}
