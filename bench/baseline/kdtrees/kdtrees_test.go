package kdtrees

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestChecks: a search compares as many rows as it was told, and at most a bucket
// of every tree more; with enough of them it meets every row.
func TestChecks(t *testing.T) {
	const n, dim = 600, 6
	rng := rand.New(rand.NewPCG(1, 1))
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = rng.Float32()
	}
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	p := &baseline.Problem{Rows: rows, Metric: distance.Euclidean, K: 3, Seed: 6}
	for _, checks := range []int{1, 50, 200, n} {
		g, err := Builder{Trees: 3, Checks: checks}.Build(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		least, most := int64(n*min(checks, n-1)), int64(n*min(checks+3*bucketRows, n-1))
		if g.Comparisons < least || g.Comparisons > most {
			t.Errorf("%d checks: %d comparisons, want %d to %d", checks, g.Comparisons, least, most)
		}
	}
}

func TestQueue(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var q queue
	var want []float32
	for range 500 {
		v := float32(rng.IntN(50))
		q.push(cell{distance: v})
		want = append(want, v)
	}
	slices.Sort(want)
	for i, v := range want {
		if got := q.pop().distance; got != v {
			t.Fatalf("number %d is %v, want %v", i, got, v)
		}
	}
}
