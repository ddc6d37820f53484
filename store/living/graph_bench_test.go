package living_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
)

// BenchmarkGraph is a pass over the lists of 50,000 rows beside rows that are in no graph yet, with which each is compared.
func BenchmarkGraph(b *testing.B) {
	const n = 50_000
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(values int) []float32 {
		x := make([]float32, values)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		return x
	}
	for _, dim := range []int{8, 128} {
		rows, err := vectors.FromFloat32(random(n*dim), dim)
		if err != nil {
			b.Fatal(err)
		}
		dir := filepath.Join(b.TempDir(), "g")
		if _, err := builder.Build(b.Context(), dir, vectors.NewInput(rows), builder.Options{K: 15, Recall: 0.9}); err != nil {
			b.Fatal(err)
		}
		pending := 0
		for _, more := range []int{1, 999} {
			pending += more
			put(b, dir, more, func() []float32 { return random(dim) })
			b.Run(fmt.Sprintf("dim=%d/pending=%d", dim, pending), func(b *testing.B) { passOver(b, dir) })
		}
	}
}

// put puts rows in one transaction.
func put(b *testing.B, dir string, rows int, vector func() []float32) {
	db, err := living.Open(dir, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *living.Tx) error {
		for range rows {
			if _, err := tx.Put("", vector()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// passOver goes over all lists.
func passOver(b *testing.B, dir string) {
	v, err := living.OpenReader(dir, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close()
	g, err := v.Graph()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := g.EachKeyed(func(store.Row, []uint32, []float32) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
