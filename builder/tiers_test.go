package builder_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// ofManyDimensions draws clouds of one dimension, of two, and so on: divisions find the neighbors of
// rows of few dimensions soon, and hardly those of many.
func ofManyDimensions(rng *rand.Rand, n, dim int) []float32 {
	data := make([]float32, n*dim)
	for i := range n {
		for j := range 1 + i*dim/n {
			data[i*dim+j] = float32(rng.NormFloat64())
		}
	}
	return data
}

// TestTiers: where the neighbors of some rows are hard to find, these are compared with all others,
// and not all rows; the build says so. Neither threads nor interruptions change the graph. (Leaves of 1,000
// of so few rows are many pairs: bench/cmd/shapes counts them at full size.)
func TestTiers(t *testing.T) {
	defer builder.KeepEvery(0)()
	const n, dim, k = 5200, 64, 10
	data := ofManyDimensions(rand.New(rand.NewPCG(36, 4)), n, dim)
	all := int64(n) * (n - 1) / 2
	truth := bruteForce(t, data, dim, k, distance.Euclidean)
	o := builder.Options{K: k, Method: builder.Balls, Recall: 0.99, Threads: 2}
	res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	got := recallOf(lists, truth)
	t.Logf("recall %.4f, %.3f of all pairs, %s", got, float64(res.RequestedPairs)/float64(all), res.Stop)
	if got < 0.985 {
		t.Errorf("recall %.4f of %v", got, o.Recall)
	}
	if !strings.Contains(res.Stop, "parts of all pairs compared") {
		t.Errorf("stopped as %s: no rows were hard", res.Stop)
	}
	o.Threads = 1
	for _, stop := range []struct {
		phase string
		times int
	}{{"exact", 1}, {"exact", 2}, {"exact", 20}, {"seal", 1}} {
		dir := filepath.Join(t.TempDir(), "g")
		if !interruptedAt(t, dir, data, dim, o, stop.phase, stop.times) {
			t.Logf("done before phase %s told of itself %d times", stop.phase, stop.times)
		}
		goesOn(t, "stopped while tiers are compared", dir, data, dim, o, res.Checksum)
	}
}

// TestRandomHashes: rows that have no neighbors which stand out take hardly more pairs than brute force: divisions
// tell so before joins are due.
func TestRandomHashes(t *testing.T) {
	const n, dim, k = 22_000, 8, 10
	rng := rand.New(rand.NewPCG(36, 5))
	data := make([]byte, n*dim)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	rows, err := vectors.RowsOf(data, n, dim, dim, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "g")
	res, err := builder.Build(t.Context(), dir, vectors.NewInput(rows), builder.Options{K: k, Method: builder.Balls, Metric: distance.Hamming, Recall: 0.99, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	pairs := float64(res.RequestedPairs) / (float64(n) * (n - 1) / 2)
	t.Logf("recall %.4f, %.3f of all pairs, %s", res.Recall.Recall, pairs, res.Stop)
	if pairs > 1.2 || res.Recall.High < 0.99 {
		t.Errorf("recall %v of 0.99, %.3f of all pairs", res.Recall, pairs)
	}
}

// interruptedAt builds until a phase has told of itself so many times, and reports whether it came to that.
func interruptedAt(t *testing.T, dir string, data []float32, dim int, o builder.Options, phase string, times int) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Progress = func(e builder.Event) {
		if e.Phase == phase {
			if times--; times == 0 {
				cancel()
			}
		}
	}
	_, err := builder.Build(ctx, dir, input(t, data, dim), o)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return err != nil
}
