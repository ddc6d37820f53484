package virmajoki

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// pairsOf is how many comparisons the recursion makes: sizes follow from n alone.
func pairsOf(n, leaf int, third float64) int64 {
	if n < leaf {
		return int64(n) * int64(n-1) / 2
	}
	return pairsOf(n/2, leaf, third) + pairsOf(n-n/2, leaf, third) + pairsOf(int(third*float64(n)), leaf, third)
}

func TestComparisons(t *testing.T) {
	const n, dim = 3000, 6
	rng := rand.New(rand.NewPCG(1, 1))
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = rng.Float32()
	}
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	for _, third := range []float64{0.1, 0.5} {
		g, err := Builder{Third: third, LeafSize: 60}.Build(context.Background(), &baseline.Problem{Rows: rows, Metric: distance.Euclidean, K: 4, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if want := pairsOf(n, 60, third); g.Comparisons != want {
			t.Errorf("third %v: %d comparisons, want %d", third, g.Comparisons, want)
		}
	}
}
