package builder_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestEveryMetric: exact lists are those of brute force by keys, and the other methods reach
// their target, under every metric.
func TestEveryMetric(t *testing.T) {
	const n, dim, k = 300, 16, 5
	rng := rand.New(rand.NewPCG(1, 7))
	bytes := make([]byte, n*dim)
	for i := range bytes {
		bytes[i] = byte(rng.Uint32() & rng.Uint32())
	}
	rows, err := vectors.RowsOf(bytes, n, dim, dim, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range distance.All() {
		for _, method := range []builder.Method{builder.Exact, builder.Balls, builder.Parts, builder.Paper} {
			dir := filepath.Join(t.TempDir(), "g")
			r, err := builder.Build(context.Background(), dir, vectors.NewInput(rows), builder.Options{K: k, Metric: m, Method: method, LeafSize: 40})
			if err != nil || r.Recall.Recall < 0.9 {
				t.Fatalf("%v, %v: %+v, %v", m, method, r, err)
			}
			if report, err := store.Check(context.Background(), dir, store.CheckOptions{Full: true}); err != nil || !report.OK() {
				t.Errorf("%v, %v: check: %v %+v", m, method, err, report)
			}
			if method == builder.Exact {
				sameAsKeys(t, dir, rows, m)
			}
		}
	}
}

// sameAsKeys compares the keys of a store's lists with the smallest of all.
func sameAsKeys(t *testing.T, dir string, rows *vectors.Rows, m distance.Metric) {
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	space, err := distance.New(m, rows.Type(), rows.Dim())
	if err != nil {
		t.Fatal(err)
	}
	for x := range rows.Len() {
		list, err := s.Neighbors(store.Row(x), nil)
		if err != nil {
			t.Fatal(err)
		}
		last := list[len(list)-1].Distance
		nearer := 0
		for y := range rows.Len() {
			a, b := rows.Row(x), rows.Row(y)
			if y != x && m.Shown(space.Key(a, b, space.Norm(a), space.Norm(b))) < last {
				nearer++
			}
		}
		if nearer >= len(list) {
			t.Fatalf("%v: row %d: %d rows are nearer than the last of %d", m, x, nearer, len(list))
		}
	}
}
