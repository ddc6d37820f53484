package search_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// found is the recall of searches, by as many distances a query.
func (w *world) found(t *testing.T, queries []float32, q search.Query) (recall, evaluations float64) {
	t.Helper()
	count := len(queries) / w.dim
	before := w.s.Counts()
	got, exact := q, q
	exact.Exact, exact.Effort = true, 0
	for i := range count {
		query := queries[i*w.dim : (i+1)*w.dim]
		found, err := w.s.Search(query, got)
		if err != nil {
			t.Fatal(err)
		}
		evaluations += float64(w.s.Counts().Sub(before).Evaluations) / float64(count)
		want, err := w.s.Search(query, exact)
		if err != nil {
			t.Fatal(err)
		}
		before = w.s.Counts()
		recall += search.Recall(found, want) / float64(count)
	}
	return recall, evaluations
}

// groups are rows in so many groups of 5 to 10 that lie far apart, and queries within them.
func groups(rng *rand.Rand, count, dim, queries int) (rows, others []float32) {
	centers := make([]float64, count*dim)
	for i := range centers {
		centers[i] = 100 * rng.NormFloat64()
	}
	add := func(to []float32, group int) []float32 {
		for j := range dim {
			to = append(to, float32(centers[group*dim+j]+0.1*rng.NormFloat64()))
		}
		return to
	}
	for group := range count {
		for range 5 + rng.IntN(6) {
			rows = add(rows, group)
		}
	}
	for range queries {
		others = add(others, rng.IntN(count))
	}
	return rows, others
}

// surface is rows of a surface of two dimensions that is folded.
func surface(rng *rand.Rand, n, dim int) (rows []float32) {
	waves := make([]float64, 2*dim)
	for i := range waves {
		waves[i] = rng.NormFloat64()
	}
	for range n {
		x, y := 6*rng.Float64(), 6*rng.Float64()
		for j := range dim {
			rows = append(rows, float32(math.Sin((x*waves[2*j]+y*waves[2*j+1])*float64(j+1)/3+float64(j))))
		}
	}
	return rows
}

func gaussian(rng *rand.Rand, n, dim int, deviation float64) (rows []float32) {
	for range n * dim {
		rows = append(rows, float32(deviation*rng.NormFloat64()))
	}
	return rows
}

// TestAstray: walks that end far from the nearest rows look again, of groups of fewer rows than a list has and on a folded surface, also
// where some rows may not be results; of a query that lies far outside, effort that was not asked for is raised.
func TestAstray(t *testing.T) {
	const queries = 60
	rng := rand.New(rand.NewPCG(3, 9))
	some := func(row store.Row) bool { return row%5 != 0 }
	t.Run("groups", func(t *testing.T) {
		rows, others := groups(rng, 1500, 16, queries)
		for _, metric := range []distance.Metric{distance.Euclidean, distance.Cosine, distance.L1} {
			w := worldOf(t, rows, 16, vectors.Float32, metric, builder.Options{K: 20}, nil)
			if recall, _ := w.found(t, others, search.Query{K: 5}); recall < 0.85 {
				t.Errorf("%v: recall %.3f, want 0.85", metric, recall)
			}
		}
	})
	t.Run("surface", func(t *testing.T) {
		all := surface(rng, 20_000+queries, 24)
		w := worldOf(t, all[24*queries:], 24, vectors.Float32, distance.Euclidean, builder.Options{K: 15}, nil)
		for name, q := range map[string]search.Query{"plain": {K: 10}, "filter": {K: 10, Keep: some}, "effort": {K: 10, Effort: 24}} {
			if recall, _ := w.found(t, all[:24*queries], q); recall < 0.95 {
				t.Errorf("%s: recall %.3f, want 0.95", name, recall)
			}
		}
	})
	t.Run("far outside", func(t *testing.T) {
		const dim = 48
		rows := gaussian(rng, 10_000, dim, 0.01)
		w := worldOf(t, rows, dim, vectors.Float32, distance.Euclidean, builder.Options{K: 20}, nil)
		outside := gaussian(rng, queries, dim, 10)
		if recall, _ := w.found(t, outside, search.Query{K: 10}); recall < 0.9 {
			t.Errorf("recall %.3f, want 0.9", recall)
		}
		if recall, evaluations := w.found(t, outside, search.Query{K: 10, Effort: search.MinEffort}); evaluations > 3000 {
			t.Errorf("by the effort asked for %.3f by %.0f distances", recall, evaluations)
		}
	})
}

// TestFarOutRows: a query that lies as far out as few rows finds these, however much further out than all others they are, and no links
// but those of the rows themselves lead there. A row that may not be a result is none.
func TestFarOutRows(t *testing.T) {
	const n, dim = 5_000, 16
	rng := rand.New(rand.NewPCG(11, 9))
	rows := gaussian(rng, n, dim, 1)
	far := []store.Row{7, 1234, n - 1}
	for _, row := range far {
		copy(rows[int(row)*dim:], gaussian(rng, 1, dim, 1e8))
	}
	for _, metric := range []distance.Metric{distance.Euclidean, distance.SqEuclidean, distance.L1} {
		w := worldOf(t, rows, dim, vectors.Float32, metric, builder.Options{K: 5}, nil)
		for _, row := range far {
			query := make([]float32, dim)
			for i, x := range rows[int(row)*dim:][:dim] {
				query[i] = x * 1.0001
			}
			q := search.Query{K: 1, Effort: search.MinEffort}
			if found, err := w.s.Search(query, q); err != nil || found[0].Row != row {
				t.Errorf("%v: beside row %d found %v, %v", metric, row, found, err)
			}
			q.Without = &row
			if found, err := w.s.Search(query, q); err != nil || found[0].Row == row {
				t.Errorf("%v: without row %d found %v, %v", metric, row, found, err)
			}
		}
	}
}

// TestNotAstray: a walk that ends at the nearest rows does not look again.
func TestNotAstray(t *testing.T) {
	const dim, queries = 4, 100
	rng := rand.New(rand.NewPCG(5, 9))
	all := make([]float32, (10_000+queries)*dim)
	for i := range all {
		all[i] = rng.Float32()
	}
	w := worldOf(t, all[dim*queries:], dim, vectors.Float32, distance.Euclidean, builder.Options{K: 15}, nil)
	if recall, evaluations := w.found(t, all[:dim*queries], search.Query{K: 10}); recall < 0.99 || evaluations > 420 {
		t.Errorf("recall %.3f by %.0f distances", recall, evaluations)
	}
}

// TestEstimate: it is near the recall of queries that lie as the rows do, of rows that are hard to find and of ones that are not.
func TestEstimate(t *testing.T) {
	const queries = 100
	rng := rand.New(rand.NewPCG(7, 9))
	for _, dim := range []int{4, 100} {
		all := gaussian(rng, 6000+queries, dim, 1)
		w := worldOf(t, all[dim*queries:], dim, vectors.Float32, distance.Euclidean, builder.Options{K: 10}, nil)
		q := search.Query{K: 10}
		recall, _ := w.found(t, all[:dim*queries], q)
		estimate, err := w.s.Estimate(t.Context(), q, queries)
		if err != nil || math.Abs(recall-estimate) > 0.1 || (dim == 4) != (recall > 0.9) {
			t.Errorf("%d elements: estimate %.3f, recall %.3f, %v", dim, estimate, recall, err)
		}
	}
}
