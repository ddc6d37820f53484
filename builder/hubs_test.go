package builder_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// TestHubs: where the neighbors of all rows are a few near the center, rows are compared with these
// and not with all. Divisions alone turned to all pairs. Threads do not change the graph.
func TestHubs(t *testing.T) {
	const n, dim, k = 8000, 48, 10
	data := gaussian(rand.New(rand.NewPCG(36, 3)), n, dim)
	for i := 0; i < n; i += 500 {
		for j := range dim {
			data[i*dim+j] *= 0.05
		}
	}
	for _, metric := range []distance.Metric{distance.Euclidean, distance.L1} { // by codes and by keys
		truth := bruteForce(t, data, dim, k, metric)
		var checksum string
		for _, threads := range []int{1, 2} {
			o := builder.Options{K: k, Metric: metric, Method: builder.Balls, LeafSize: 250, Recall: 0.95, Threads: threads}
			res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
			if got := recallOf(lists, truth); got < 0.94 {
				t.Errorf("%v: recall %.4f, want 0.95", metric, got)
			}
			if all := int64(n) * (n - 1) / 2; res.RequestedPairs > all*4/5 {
				t.Errorf("%v: %d pairs, all are %d: want at most four fifths", metric, res.RequestedPairs, all)
			}
			if checksum == "" {
				checksum = res.Checksum
			}
			if res.Checksum != checksum {
				t.Errorf("%v: another graph by %d threads", metric, threads)
			}
		}
	}
}
