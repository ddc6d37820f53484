package builder_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// TestAllAskedFor: who asks for a recall of 1 gets all neighbors of all rows, by every method: that none of a
// sample's is missing does not show it.
func TestAllAskedFor(t *testing.T) {
	const n, dim, k = 3000, 12, 6
	data := clustered(31, n, dim)
	want := bruteForce(t, data, dim, k, distance.Euclidean)
	for name, o := range map[string]builder.Options{
		"balls": {Method: builder.Balls, LeafSize: 400},
		"parts": {Method: builder.Parts, LeafSize: 400},
		"paper": {Method: builder.Paper, LeafSize: 400, Paper: builder.PaperOptions{Visits: 200}},
	} {
		o.K, o.Recall = k, 1
		_, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
		for row := range want {
			if !slices.Equal(lists[row], want[row]) {
				t.Errorf("%s: row %d: %v, want %v", name, row, lists[row], want[row])
				break
			}
		}
	}
}
