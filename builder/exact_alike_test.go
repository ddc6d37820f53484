package builder_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// TestExactAlike: where rows repeat many times, pairs that are left out as settled leave no
// neighbor out: beside parallel rows, which cosine has as near as equal ones, and longer rows,
// which inner products have nearer, and rows of zeros, which they have equally near to all.
func TestExactAlike(t *testing.T) {
	rng := seeded(t)
	for _, m := range []distance.Metric{distance.Euclidean, distance.Cosine, distance.Correlation, distance.IP, distance.L1} {
		n, dim, k := 300+rng.IntN(300), 2+rng.IntN(20), 1+rng.IntN(12)
		data := make([]float32, n*dim)
		kinds := make([]float32, 5*dim)
		for i := range kinds {
			kinds[i] = float32(rng.NormFloat64())
		}
		if m == distance.IP {
			clear(kinds[:dim])
		}
		for row := range n {
			at := data[row*dim : (row+1)*dim]
			copy(at, kinds[rng.IntN(5)*dim:])
			times := []float32{1, 1, 1, 1, 1, 2, 3, 1.1}[rng.IntN(8)]
			for j := range at {
				at[j] *= times
				if row%7 == 0 {
					at[j] += float32(rng.NormFloat64())
				}
			}
		}
		o := builder.Options{K: k, Metric: m, Method: builder.Exact, LeafSize: 4 + rng.IntN(16), Threads: 1 + rng.IntN(3)}
		_, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
		for row, want := range bruteForce(t, data, dim, k, m) {
			if !slices.Equal(lists[row], want) {
				t.Fatalf("%v, %d rows of %d, leaves of %d: row %d: %v, want %v", m, n, dim, o.LeafSize, row, lists[row], want)
			}
		}
	}
}
