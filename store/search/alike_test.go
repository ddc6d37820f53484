package search_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestManyAlike: rows that stand 100 times each are all found, where more of them are wanted than links lead to, where those met
// may not be results, and within a distance.
func TestManyAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const groups, dim = 30, 6
	centers := make([]float32, groups*dim)
	for i := range centers {
		centers[i] = float32(rng.NormFloat64())
	}
	w := worldOf(t, slices.Repeat(centers, 100), dim, vectors.Float32, distance.Euclidean, builder.Options{K: 20}, nil)
	keep := func(row store.Row) bool { return row/groups%20 == 19 }
	for name, q := range map[string]search.Query{
		"k 80":   {K: 80},
		"filter": {K: 10, Keep: keep},
		"within": {Within: search.Distance(0)},
	} {
		for g := range groups {
			query := centers[g*dim : (g+1)*dim]
			found, err := w.s.Search(query, q)
			if err != nil {
				t.Fatal(err)
			}
			exact := q
			exact.Exact = true
			want, err := w.s.Search(query, exact)
			if err != nil || len(found) != len(want) || search.Recall(found, want) < 1 {
				t.Fatalf("%s: group %d: %d results, recall %.2f, want %d: %v", name, g, len(found), search.Recall(found, want), len(want), err)
			}
		}
	}
	before := w.s.Counts()
	if _, err := w.s.Search(centers[:dim], search.Query{K: 20}); err != nil || w.s.Counts().Sub(before).Scans != 0 {
		t.Errorf("%+v, %v: identical rows that suffice are no reason for a scan", w.s.Counts().Sub(before), err)
	}
}

// TestCrowd: very many identical rows do not use up the effort of a query beside them, whose nearest rows are others.
func TestCrowd(t *testing.T) {
	const n, dim, queries = 6000, 12, 60
	rng := rand.New(rand.NewPCG(8, 4))
	rows := gaussian(rng, n, dim, 1)
	clear(rows[:n/2*dim])
	w := worldOf(t, rows, dim, vectors.Float32, distance.Euclidean, builder.Options{K: 20}, nil)
	for _, effort := range []int{16, 0} {
		if recall, evaluations := w.found(t, gaussian(rng, queries, dim, 0.7), search.Query{K: 10, Effort: effort}); recall < 0.97 || evaluations > 1600 {
			t.Errorf("effort %d: recall %.3f by %.0f distances", effort, recall, evaluations)
		}
	}
}
