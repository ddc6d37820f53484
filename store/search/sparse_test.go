package search_test

import (
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestSparse: where memory holds little of the rows, a walk finds no fewer of the nearest, with the same distances, and reads
// no part of rows and links twice. Reads are counted there, and nowhere else.
func TestSparse(t *testing.T) {
	const n, dim, k, width = 3000, 32, 8, 2 * 8
	data := values(4, n, dim)
	w := worldOf(t, data, dim, vectors.Float32, distance.Euclidean, builder.Options{K: k}, nil)
	few := w.reopen(t, &search.Options{Budget: 1})
	set, err := few.Only(everyThird(n))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	inMemory, little := 0.0, 0.0
	for range 50 {
		q := data[rng.IntN(n)*dim:][:dim]
		for _, query := range []search.Query{{K: 5, Effort: 5}, {K: 5, Effort: 40}, {K: 5, Exact: true}} {
			inMemory += w.recall(t, w.s, q, query)
			before := few.Counts()
			little += w.recall(t, few, q, query)
			rows, links := n*dim*4/(16<<10)+1, n*width*4/(16<<10)+1
			if c := few.Counts().Sub(before); c.Reads > int64(rows+links) {
				t.Errorf("%+v: rows lie in %d stretches and links in %d", c, rows, links)
			}
		}
		little -= w.recall(t, few, q, search.Query{K: 5, Only: set})
		inMemory--
	}
	if little < inMemory {
		t.Errorf("recalls add up to %.2f with little memory, to %.2f where it holds all", little, inMemory)
	}
	if few.Counts().Reads == 0 || w.s.Counts().Reads != 0 {
		t.Errorf("%+v, where memory holds all %+v", few.Counts(), w.s.Counts())
	}
}

func everyThird(n int) (rows []store.Row) {
	for row := 0; row < n; row += 3 {
		rows = append(rows, store.Row(row))
	}
	return rows
}
