package builder_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// TestFirstDivision: where rows look into cells of leaders the first division has as many leaves as suffice, four for rows in clumps and
// more for others. It finds the recall asked for, whatever the threads.
func TestFirstDivision(t *testing.T) {
	const n, dim, k = 6000, 8, 5 // leaves of 20 rows: more than 240 times as many
	rng := rand.New(rand.NewPCG(38, 1))
	spread := gaussian(rng, n, dim)
	clumps := gaussian(rng, n, dim)
	for i := range n {
		for j := range dim {
			clumps[i*dim+j] = clumps[i*dim+j]*0.01 + spread[i%800*dim+j]
		}
	}
	var leaves []int
	for _, data := range [][]float32{clumps, spread} {
		truth := bruteForce(t, data, dim, k, distance.Euclidean)
		var first *builder.Result
		for _, threads := range []int{1, 3} {
			o := builder.Options{K: k, Method: builder.Balls, LeafSize: 20, Recall: 0.9, Threads: threads}
			res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
			if got := recallOf(lists, truth); got < 0.89 {
				t.Errorf("recall %.4f, want 0.9", got)
			}
			if first == nil {
				first = res
			}
			if res.Checksum != first.Checksum || res.Divisions != first.Divisions {
				t.Errorf("another graph by %d threads", threads)
			}
		}
		leaves = append(leaves, first.Divisions)
	}
	t.Logf("rows stand in %v leaves", leaves)
	if leaves[0] >= leaves[1] {
		t.Errorf("rows stand in %v leaves, want fewer in clumps", leaves)
	}
}
