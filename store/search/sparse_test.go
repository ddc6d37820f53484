package search_test

import (
	"math/rand/v2"
	"strconv"
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
	const n, dim, k = 3000, 32, 8
	data := values(4, n, dim)
	w := worldOf(t, data, dim, vectors.Float32, distance.Euclidean, builder.Options{K: k}, nil)
	for _, budget := range []int64{1, 40_000} { // which has room for some rows to begin at, and for no codes
		t.Run(strconv.FormatInt(budget, 10), func(t *testing.T) { sparse(t, w, data, budget) })
	}
}

func sparse(t *testing.T, w *world, data []float32, budget int64) {
	n, dim, width := w.s.Len(), w.s.Dim(), 16
	few := w.reopen(t, &search.Options{Budget: budget})
	if few.State().Codes != 0 {
		t.Fatal("memory holds codes")
	}
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

// TestSparseIslands: a walk that begins at rows in memory comes to every island, and returns as many rows as are wanted.
func TestSparseIslands(t *testing.T) {
	const islands, each, dim = 40, 50, 16
	data := values(6, islands*each, dim)
	for i := range data {
		if i%dim == 0 {
			data[i] += float32(1000 * (i / dim % islands))
		}
	}
	w := worldOf(t, data, dim, vectors.Float32, distance.Euclidean, builder.Options{K: 10}, nil)
	for _, budget := range []int64{1, 16_000} {
		few, recall := w.reopen(t, &search.Options{Budget: budget}), 0.0
		for row := range islands {
			recall += w.recall(t, few, data[row*dim:][:dim], search.Query{K: 10, Effort: 40}) / islands
			found, err := few.Search(data[row*dim:][:dim], search.Query{K: 120, Effort: 200})
			if err != nil || len(found) != 120 {
				t.Errorf("budget %d, island %d: %d rows found, %v, want 120", budget, row, len(found), err)
			}
		}
		if recall < 0.99 || few.State().Codes != 0 {
			t.Errorf("budget %d: recall %.3f, %+v", budget, recall, few.State())
		}
	}
}
