package living

import (
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/vectors"
)

// TestRun: all points are told, once, and more effort finds no less.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	c := Config{Base: filepath.Join(dir, "x.u8bin"), Queries: filepath.Join(dir, "q.bvecs"), Work: filepath.Join(dir, "work"), Limit: 900,
		K: 5, Lists: 8, Recall: 0.95, Efforts: []int{5, 100}, Threads: []int{1, 2}, Rounds: 2, Peers: []string{"nobody"}, Python: "no-such-python"}
	for path, n := range map[string]int{c.Base: 1000, c.Queries: 40} {
		w, err := vectors.Create(path, vectors.Uint8, 6)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		for range n {
			row := make([]byte, 6)
			for j := range row {
				row[j] = byte(rng.IntN(256))
			}
			if err := w.Append(row, ""); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time with the files that the first has kept
		var points []Point
		if err := c.Run(t.Context(), io.Discard, func(p Point) { points = append(points, p) }); err != nil {
			t.Fatal(err)
		}
		if len(points) != 4 || points[0].Recall > points[1].Recall || points[1].Recall < 0.99 || points[0].Comparisons <= 0 || points[2].Recall != points[0].Recall {
			t.Errorf("%+v", points)
		}
	}
}
