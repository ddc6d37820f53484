package leaves

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/rowstest"
)

// TestLeavesSolvedOnceOrBothWays: lists do not depend on whether a leaf compares each
// pair once, for both rows, or twice. The leaves are of many sizes, larger than a set of
// columns and smaller than a band among them; elements of few values make ties and
// equal rows.
func TestLeavesSolvedOnceOrBothWays(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, values := range []int{2, 3, 256} {
		const n, dim = 6000, 12
		m := rowstest.Codes(t, rng, n, dim, values)
		k := 1 + rng.IntN(40)
		once, bothWays := candidates.New(n, k, 2), candidates.New(n, k, 2)
		defer once.Free()
		defer bothWays.Free()
		solver, plain := NewTile(m, once), NewTile(m, bothWays)
		for _, size := range []int{n, 5000, 1, 2, 7, 9, 100, 500, 1000, 2100, 4097, rng.IntN(n) + 1} {
			leaf := make([]uint32, size)
			for i, p := range rng.Perm(n)[:size] {
				leaf[i] = uint32(p)
			}
			slices.Sort(leaf)
			solver.Solve(leaf)
			plain.Compare(leaf, leaf)
			for p := range uint32(n) {
				for i := range k {
					if a, b := once.At(p, i), bothWays.At(p, i); a != b {
						t.Fatalf("seed %d: %d values, k %d, leaf of %d: entry %d of place %d is %x, want %x", seed, values, k, size, i, p, a, b)
					}
				}
			}
		}
	}
}

// BenchmarkLeaf is all pairs of a leaf of 1,000 rows of 128 bytes, lists of 20.
func BenchmarkLeaf(b *testing.B) {
	const n, k = 1000, 20
	m := rowstest.Codes(b, rand.New(rand.NewPCG(1, 1)), n, 128, 256)
	leaf := make([]uint32, n)
	for b.Loop() {
		found := candidates.New(n, k, 2)
		for i := range leaf {
			leaf[i] = uint32(i)
		}
		NewTile(m, found).Solve(leaf)
		found.Free()
	}
	b.ReportMetric(float64(b.N)*n*(n-1)/2/b.Elapsed().Seconds()/1e6, "Mpairs/s")
}
