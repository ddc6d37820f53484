package builder_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestExactBounds: bounds from a division leave no neighbor out, of bytes and of floats,
// whatever repeats, with room in the lists of leaves or not.
func TestExactBounds(t *testing.T) {
	rng := seeded(t)
	for _, m := range []distance.Metric{distance.Euclidean, distance.SqEuclidean, distance.Cosine, distance.Correlation, distance.IP} {
		for _, bytes := range []bool{false, true} {
			n, dim, k := 400+rng.IntN(500), 1+rng.IntN(20), 1+rng.IntN(12)
			if m == distance.Correlation {
				dim += 4 // of fewer some rows have none
			}
			data := clustered(rng.Uint64(), n, dim)
			for i := range data {
				data[i]++ // no zero rows
				if !bytes {
					data[i] += float32(rng.NormFloat64())
				}
			}
			for range rng.IntN(200) { // rows that repeat
				from, to := rng.IntN(n), rng.IntN(n)
				copy(data[to*dim:(to+1)*dim], data[from*dim:(from+1)*dim])
			}
			in := input(t, data, dim)
			if bytes {
				in = vectors.NewInput(uint8Rows(t, data, dim))
			}
			bounded := false
			o := builder.Options{K: k, Metric: m, Method: builder.Exact, LeafSize: 4 + rng.IntN(16), Threads: 1 + rng.IntN(3)}
			o.Progress = func(e builder.Event) { bounded = bounded || e.Phase == "bounds" }
			_, lists := build(t, filepath.Join(t.TempDir(), "g"), in, o)
			keys := bytes && m.Squares()
			if keys && !bounded { // other codes may not tell
				t.Errorf("%v: no bounds looked for", m)
			}
			for row, want := range bruteForce(t, data, dim, k, m) {
				if !slices.Equal(lists[row], want) {
					t.Fatalf("%v, bytes %v, %d rows of %d, leaves of %d: row %d: %v, want %v", m, bytes, n, dim, o.LeafSize, row, lists[row], want)
				}
			}
		}
	}
}

// uint8Rows is rows of whole numbers as uint8.
func uint8Rows(t *testing.T, data []float32, dim int) *vectors.Rows {
	t.Helper()
	raw := make([]byte, len(data))
	for i, x := range data {
		raw[i] = byte(x)
	}
	rows, err := vectors.RowsOf(raw, len(raw)/dim, dim, dim, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
