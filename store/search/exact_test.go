package search_test

import (
	"errors"
	"os"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestExactAlone: a searcher for exact queries alone answers these as any other does, by every kind of metric, makes nothing in
// the store, and refuses other queries.
func TestExactAlone(t *testing.T) {
	const n, dim = 200, 5
	rows := values(3, n, dim)
	for _, metric := range []distance.Metric{distance.Euclidean, distance.Cosine, distance.IP} {
		w := worldOf(t, rows, dim, vectors.Float32, metric, builder.Options{K: 4}, &search.Options{Memory: true})
		s, err := search.Open(w.g, &search.Options{Exact: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for i := range 20 {
			query, q := rows[i*dim:(i+1)*dim], search.Query{K: 7, Exact: true}
			want, err := w.s.Search(query, q)
			got, failed := s.Search(query, q)
			if err = errors.Join(err, failed, same(got, want)); err != nil {
				t.Fatalf("%v, query %d: %v", metric, i, err)
			}
		}
		if _, err := s.Search(rows[:dim], search.Query{K: 7}); !errors.Is(err, search.ErrQuery) {
			t.Errorf("another query: error %v", err)
		}
		if _, err := os.Stat(search.Path(w.g.Dir())); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("links: %v", err)
		}
	}
}
