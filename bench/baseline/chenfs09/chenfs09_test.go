package chenfs09

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

func problem(t testing.TB, n, dim int) *baseline.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	return &baseline.Problem{Rows: rows, Metric: distance.Euclidean, K: 5, Seed: 1}
}

// TestSubsets: overlapping subsets share alpha of the rows, the third of glue
// holds alpha of them, and together all are covered.
func TestSubsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{3, 10, 1001} {
		for _, alpha := range []float64{0.1, 0.2, 0.5} {
			ids, at := baseline.All(n), make([]float32, n)
			for i := range at {
				at[i] = float32(rng.NormFloat64())
			}
			band := bandOf(at, alpha)
			over := overlapped(ids, at, band)
			shared := len(over[0]) + len(over[1]) - n
			third := glued(ids, at, band)
			if off := float64(shared) - alpha*float64(n); off < -1 || off > 2 {
				t.Errorf("n %d, alpha %v: %d rows shared", n, alpha, shared)
			}
			if off := float64(len(third[2])) - alpha*float64(n); off < -1 || off > 2 || len(third[0])+len(third[1]) != n {
				t.Errorf("n %d, alpha %v: subsets of %d, %d, %d", n, alpha, len(third[0]), len(third[1]), len(third[2]))
			}
		}
	}
}

// TestLists: longer lists find more of the nearest neighbor, and what is returned is as
// long as was asked for.
func TestLists(t *testing.T) {
	p := problem(t, 2000, 12)
	p.K = 1
	found := func(lists int) (sum float32) {
		g, err := Glue{Options{LeafSize: 60, Lists: lists}}.Build(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if g.Lists.K != 1 {
			t.Fatalf("lists of %d", g.Lists.K)
		}
		for row := range uint32(g.Lists.N) {
			_, keys := g.Lists.List(row)
			sum += keys[0]
		}
		return sum
	}
	if one, ten := found(0), found(10); ten >= one {
		t.Errorf("nearest neighbors lie %v away with lists of 10, %v with lists of 1", ten, one)
	}
}

// TestTable: with the table no pair is compared twice, and what is found is
// nearly the same: only where the same pair was offered at another time.
func TestTable(t *testing.T) {
	p := problem(t, 2000, 12)
	plain, err := Overlap{Options{LeafSize: 60}}.Build(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	table, err := Overlap{Options{LeafSize: 60, Table: true}}.Build(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(p.Rows.Len())
	if table.Comparisons >= plain.Comparisons || table.Comparisons > n*(n-1)/2 {
		t.Errorf("%d comparisons with the table, %d without", table.Comparisons, plain.Comparisons)
	}
	for row := range uint32(n) {
		a, _ := plain.Lists.List(row)
		b, _ := table.Lists.List(row)
		if !slices.Equal(a, b) {
			t.Fatalf("row %d: %v without the table, %v with it", row, a, b)
		}
	}
}

func TestPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	table, want := newPairs(), map[[2]uint32]bool{}
	for range 200_000 {
		a, b := uint32(rng.IntN(700)), uint32(rng.IntN(700))
		if a == b {
			continue
		}
		key := [2]uint32{min(a, b), max(a, b)}
		if table.has(uint64(key[0])<<32|uint64(key[1])) != want[key] || table.add(a, b) == want[key] {
			t.Fatalf("pair %v: known %v", key, want[key])
		}
		want[key] = true
	}
	if table.len != len(want) {
		t.Errorf("%d pairs, want %d", table.len, len(want))
	}
}
