package search_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// BenchmarkSearch is one query of ten rows over 5,000 of 32 dimensions.
func BenchmarkSearch(b *testing.B) {
	const n, dim = 5000, 32
	rng := rand.New(rand.NewPCG(1, 1))
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "g")
	if _, err := builder.Build(b.Context(), path, vectors.NewInput(rows), builder.Options{K: 15, Recall: 0.9}); err != nil {
		b.Fatal(err)
	}
	g, err := store.Open(path, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	s, err := search.Open(g, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	queries := make([]float32, 100*dim)
	for i := range queries {
		queries[i] = float32(rng.NormFloat64())
	}
	before := s.Counts()
	i := 0
	for b.Loop() {
		if _, err := s.Search(queries[i%100*dim:][:dim], search.Query{K: 10}); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(s.Counts().Sub(before).PerQuery(), "distances/op")
}
