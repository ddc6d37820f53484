package builder_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// TestOutliersCostNothing: of rows with a few far out a build takes the pairs that it takes of
// the same rows without, and the few have exact lists.
func TestOutliersCostNothing(t *testing.T) {
	const n, dim, k = 4000, 12, 10
	o := builder.Options{K: k, Method: builder.Balls, Recall: 0.95, LeafSize: 200}
	data := gaussian(rand.New(rand.NewPCG(5, 8)), n, dim)
	plain, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	for row := 0; row < n; row += 500 {
		for j := range dim {
			data[row*dim+j] *= 1e5
		}
	}
	far, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	truth := bruteForce(t, data, dim, k, distance.Euclidean)
	if got := recallOf(lists, truth); got < 0.94 {
		t.Errorf("recall %.3f, want 0.95", got)
	}
	if limit := plain.RequestedPairs*5/4 + n*(n/500); far.RequestedPairs > limit {
		t.Errorf("%d pairs with outliers, %d without", far.RequestedPairs, plain.RequestedPairs)
	}
	for row := 0; row < n; row += 500 {
		if got := recallOf(lists[row:row+1], truth[row:row+1]); got != 1 {
			t.Errorf("row %d lies far out: recall %.3f, want 1", row, got)
		}
	}
}

// TestCosineOfAnyLength: under cosine rows have neighbors whose squares float32 does not hold.
func TestCosineOfAnyLength(t *testing.T) {
	const n, dim, k = 1500, 12, 8
	data := gaussian(rand.New(rand.NewPCG(5, 9)), n, dim)
	for row := 0; row < n; row += 40 {
		for j := range dim {
			data[row*dim+j] *= float32(math.Pow(10, float64(15+row%23)))
		}
	}
	truth := bruteForce(t, data, dim, k, distance.Cosine)
	for _, method := range []builder.Method{builder.Exact, builder.Balls, builder.Parts, builder.Paper} {
		o := builder.Options{K: k, Method: method, Metric: distance.Cosine, Recall: 0.95}
		_, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
		if got := recallOf(lists, truth); got < 0.94 {
			t.Errorf("%s: recall %.3f, want 0.95", method, got)
		}
	}
}
