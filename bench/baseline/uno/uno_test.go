package uno

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestEveryPairOnce: what is compared is every pair whose strings differ in few
// enough letters in some set, and each of them once.
func TestEveryPairOnce(t *testing.T) {
	const n, dim = 800, 5
	rng := rand.New(rand.NewPCG(1, 1))
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	p := &baseline.Problem{Rows: rows, Metric: distance.Euclidean, K: 3, Seed: 6}
	for _, s := range []Builder{{Length: 12, Errors: 2, Blocks: 4, Sets: 3}, {Length: 64, Errors: 3, Blocks: 4, Sets: 2}, {Length: 9, Errors: 1, Blocks: 2, Sets: 1}} {
		g, err := s.Build(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		x, err := baseline.NewPoints(p)
		if err != nil {
			t.Fatal(err)
		}
		w := &walk{Builder: s, x: x}
		lots := rand.New(rand.NewPCG(p.Seed, 3))
		for range s.Sets {
			w.strings = append(w.strings, w.hash(lots))
		}
		var want int64
		for i := range n {
			for j := range i {
				for _, strings := range w.strings {
					if bits.OnesCount64(strings[i]^strings[j]) <= s.Errors {
						want++
						break
					}
				}
			}
		}
		if g.Comparisons != want {
			t.Errorf("%+v: %d comparisons, want %d", s, g.Comparisons, want)
		}
	}
}

func TestParameters(t *testing.T) {
	for _, s := range []Builder{{Length: 65}, {Errors: 3, Blocks: 3}, {Length: 2, Errors: 1, Blocks: 3}} {
		if err := s.settle(); err == nil {
			t.Errorf("%+v was accepted", s)
		}
	}
}
