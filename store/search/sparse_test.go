package search_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestSparse: results are the same where memory holds little of the rows, pages are counted
// there, and nowhere else.
func TestSparse(t *testing.T) {
	data := values(4, 3000, 8)
	w := worldOf(t, data, 8, vectors.Float32, distance.Euclidean, builder.Options{K: 8}, nil)
	all := w.s
	few, err := search.Open(w.g, &search.Options{Budget: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer few.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		q := data[rng.IntN(len(data)/8)*8:][:8]
		for _, query := range []search.Query{{K: 5}, {K: 5, Effort: 40}, {K: 5, Exact: true}} {
			want, err := all.Search(q, query)
			if err != nil {
				t.Fatal(err)
			}
			got, err := few.Search(q, query)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%v with little memory, want %v", got, want)
			}
		}
	}
	if c := few.Counts(); c.Reads < c.Hops || c.Reads > c.Hops+2*c.Evaluations {
		t.Errorf("%+v: a hop reads its links, and rows one or two pages each", c)
	}
	if c := all.Counts(); c.Reads != 0 {
		t.Errorf("%d pages asked for, where memory holds all", c.Reads)
	}
}
