package search_test

import (
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestManyIslands: of more islands than have leaders in the file of links all are searched where memory holds rows and links; where it
// does not, the searcher tells of it.
func TestManyIslands(t *testing.T) {
	const groups, each, dim = 600, 9, 6
	rng := rand.New(rand.NewPCG(6, 6))
	rows := make([]float32, 0, groups*each*dim)
	for range groups {
		var center [dim]float64
		for j := range center {
			center[j] = 100 * rng.NormFloat64()
		}
		for range each {
			for _, c := range center {
				rows = append(rows, float32(c+0.1*rng.NormFloat64()))
			}
		}
	}
	w := worldOf(t, rows, dim, vectors.Float32, distance.Euclidean, builder.Options{K: 8}, nil)
	if s := w.s.State(); s.Islands != groups || s.Unled {
		t.Errorf("%d islands, further ones %v, want %d, false", s.Islands, s.Unled, groups)
	}
	for g := range groups {
		query := rows[g*each*dim:][:dim]
		found, err := w.s.Search(query, search.Query{K: 8})
		if err != nil {
			t.Fatal(err)
		}
		want, err := w.s.Search(query, search.Query{K: 8, Exact: true})
		if err != nil || search.Recall(found, want) < 1 {
			t.Fatalf("group %d: recall %.2f, %v", g, search.Recall(found, want), err)
		}
	}
	if err := search.Check(t.Context(), w.g); err != nil {
		t.Error(err)
	}
	small, err := search.Open(w.g, &search.Options{Budget: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	if s := small.State(); s.Islands >= groups || !s.Unled || s.Codes == 0 {
		t.Errorf("%d islands, further ones %v, codes of %d bytes, want less than %d, true, some", s.Islands, s.Unled, s.Codes, groups)
	}
	w.s = small
	if recall, _ := w.found(t, rows[:40*each*dim], search.Query{K: 8}); recall < 0.95 {
		t.Errorf("by codes recall %.3f, want 0.95", recall)
	}
}
