package living

import (
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/vectors"
)

// TestChurn: a history keeps the number of rows, and its lists and searches nearly whole.
func TestChurn(t *testing.T) {
	dir := t.TempDir()
	c := Config{Base: filepath.Join(dir, "x.u8bin"), Queries: filepath.Join(dir, "x.u8bin"), Count: 20, Work: filepath.Join(dir, "work"), Limit: 400,
		K: 5, Lists: 8, Recall: 0.95, Threads: []int{1}}
	w, err := vectors.Create(c.Base, vectors.Uint8, 6)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 1))
	for range 500 {
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
	for _, churn := range []Churn{{Rounds: 4, Share: 0.05, Every: 2, Sample: 50, Effort: 60}, {Deletes: []int{10, 50, 99}, Sample: 50, Effort: 60}} {
		var points []ChurnPoint
		if err := c.RunChurn(t.Context(), churn, io.Discard, func(p ChurnPoint) { points = append(points, p) }); err != nil {
			t.Fatal(err)
		}
		if len(points) != 4 {
			t.Fatalf("%d points", len(points))
		}
		for i, p := range points {
			if want := []int{400, 360, 200, 4}[i]; len(churn.Deletes) == 0 && p.Rows != 400 || len(churn.Deletes) > 0 && p.Rows != want || p.Lists.Recall < 0.9 || p.Search < 0.95 || p.Fewest != min(5, p.Rows) {
				t.Errorf("%+v", p)
			}
		}
	}
}

// TestPuts: rows are put up to the bound of the tail, and replaced there, and searches are timed.
func TestPuts(t *testing.T) {
	c := Config{Base: filepath.Join(t.TempDir(), "x.u8bin"), Work: t.TempDir(), Limit: 400, K: 5, Lists: 8, Recall: 0.95, Threads: []int{1}}
	c.Queries = c.Base
	w, err := vectors.Create(c.Base, vectors.Uint8, 6)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		if err := w.Append([]byte{byte(i), byte(i >> 3), byte(7 * i), byte(11 * i), 5, byte(13 * i)}, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var points []PutsPoint
	if err := c.RunPuts(t.Context(), 20, io.Discard, func(p PutsPoint) { points = append(points, p) }); err != nil {
		t.Fatal(err)
	}
	if len(points) != 4 || points[0].Syncs <= 0 || points[1].Puts <= 0 || points[1].Pending == 0 || points[2].Pending != points[1].Pending || points[3].Pending != points[1].Pending || points[2].Slow < points[2].Middle || points[3].Middle <= 0 {
		t.Errorf("%+v", points)
	}
}
