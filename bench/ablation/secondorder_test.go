package ablation

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/baseline/knng"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// slow is a refinement written down from its definition, with maps.
func slow(t *testing.T, p *baseline.Problem, lists *knn.Lists, expanded int) (*knn.Lists, int64) {
	x, err := baseline.NewPoints(p)
	if err != nil {
		t.Fatal(err)
	}
	next, pairs := lists.Clone(), int64(0)
	for row := range uint32(x.Len()) {
		first, _ := lists.List(row)
		near := map[uint32]bool{}
		for i, id := range first {
			if expanded > 0 && i >= expanded {
				break
			}
			second, _ := lists.List(id)
			for _, other := range second {
				near[other] = other != row && !slices.Contains(first, other)
			}
		}
		for other, wanted := range near {
			if wanted {
				key := x.Space.Key(x.Row(int(row)), x.Row(int(other)), 0, 0)
				next.Offer(row, other, key)
				next.Offer(other, row, key)
				pairs++
			}
		}
	}
	return next, pairs
}

func TestSecondOrderEqualsDefinition(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	data := make([]float32, 1200*6)
	for i := range data {
		data[i] = float32(rng.IntN(30))
	}
	rows, err := vectors.FromFloat32(data, 6)
	if err != nil {
		t.Fatal(err)
	}
	p := &baseline.Problem{Rows: rows, Metric: distance.Euclidean, K: 7, Seed: 1, Threads: 1}
	for _, expanded := range []int{0, 1, 3, 7} {
		divided, err := knng.Divisions(2).Build(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := SecondOrder{Divided: knng.Divisions(2), Expanded: expanded}.Build(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		want, pairs := slow(t, p, divided.Lists, expanded)
		if got.Comparisons != divided.Comparisons+pairs {
			t.Errorf("of %d neighbors: %d comparisons, want %d + %d", expanded, got.Comparisons, divided.Comparisons, pairs)
		}
		for row := range uint32(rows.Len()) {
			a, _ := got.Lists.List(row)
			b, _ := want.List(row)
			if !slices.Equal(a, b) {
				t.Fatalf("of %d neighbors: row %d lists %v, want %v", expanded, row, a, b)
			}
		}
		if err := baseline.Check(p, got.Lists); err != nil {
			t.Error(err)
		}
	}
}

// TestVariants: every variant is a valid build under a name of its own.
func TestVariants(t *testing.T) {
	names := map[string]bool{}
	for _, v := range Variants {
		o := v.Options(20)
		if err := o.Validate(); names[v.Name] || err != nil && !o.Paper.InPlace {
			t.Errorf("%s: %v", v.Name, err)
		}
		names[v.Name] = true
	}
}
