package baseline_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/baseline/brute"
	"github.com/knng/knng/bench/baseline/chenfs09"
	"github.com/knng/knng/bench/baseline/kdtrees"
	"github.com/knng/knng/bench/baseline/knng"
	"github.com/knng/knng/bench/baseline/nndescent"
	"github.com/knng/knng/bench/baseline/uno"
	"github.com/knng/knng/bench/baseline/virmajoki"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// rows makes n rows of bytes around some centres: ties and repetitions included.
func rows(t testing.TB, seed uint64, n, dim, spread int) *vectors.Rows {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	centres := make([]byte, 20*dim)
	for i := range centres {
		centres[i] = byte(rng.IntN(200))
	}
	data := make([]byte, 0, n*dim)
	for range n {
		c := rng.IntN(20) * dim
		for j := range dim {
			data = append(data, centres[c+j]+byte(rng.IntN(spread)))
		}
	}
	r, err := vectors.RowsOf(data, n, dim, dim, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// oracle compares every pair, one after the other.
func oracle(t testing.TB, p *baseline.Problem) *knn.Lists {
	t.Helper()
	space, err := distance.New(p.Metric, p.Rows.Type(), p.Rows.Dim())
	if err != nil {
		t.Fatal(err)
	}
	lists := baseline.NewLists(p)
	for i := range p.Rows.Len() {
		for j := range p.Rows.Len() {
			if a, b := p.Rows.Row(i), p.Rows.Row(j); i != j {
				lists.Offer(uint32(i), uint32(j), space.Key(a, b, space.Norm(a), space.Norm(b)))
			}
		}
	}
	return lists
}

func recallOf(truth, lists *knn.Lists) (sum float64) {
	for row := range uint32(truth.N) {
		_, want := truth.List(row)
		ids, keys := lists.List(row)
		sum += recall.OfList(want, ids, keys, row, truth.K) / float64(truth.N)
	}
	return sum
}

// ladders are the systems with parameters that raise recall, step by step, and
// what the last step must reach.
var ladders = map[string]struct {
	steps []baseline.System
	least float64
}{
	"brute":       {[]baseline.System{brute.Blocked{}}, 1},
	"naive":       {[]baseline.System{brute.Naive{}}, 1},
	"glue":        {[]baseline.System{glue(0.05), glue(0.2), glue(0.5)}, 0.95},
	"glue, table": {[]baseline.System{chenfs09.Glue{Options: chenfs09.Options{Alpha: 0.3, LeafSize: 50, Table: true}}}, 0.95},
	"overlap":     {[]baseline.System{overlap(0.05), overlap(0.15), overlap(0.3)}, 0.98},
	"virmajoki":   {[]baseline.System{virmajoki.Builder{Third: 0.1, LeafSize: 50}, virmajoki.Builder{Third: 0.3, LeafSize: 50}, virmajoki.Builder{Third: 0.6, LeafSize: 50}}, 0.9},
	"uno":         {[]baseline.System{uno.Builder{Length: 16, Errors: 1, Sets: 1}, uno.Builder{Length: 16, Errors: 3, Sets: 2}, uno.Builder{Length: 16, Errors: 5, Sets: 6}}, 0.9},
	"kdtrees":     {[]baseline.System{kdtrees.Builder{Checks: 20}, kdtrees.Builder{Checks: 100}, kdtrees.Builder{Checks: 600}}, 0.95},
	"nndescent":   {[]baseline.System{nndescent.Builder{Length: 10}, nndescent.Builder{Length: 20}, nndescent.Builder{Length: 30, Rho: 1}}, 0.95},
	"divisions":   {[]baseline.System{knng.Divisions(1), knng.Divisions(3), knng.Divisions(8)}, 0.85},
	"propagation": {[]baseline.System{knng.Propagated(1, 0), knng.Propagated(3, 0)}, 0.95},
	"longer":      {[]baseline.System{knng.Propagated(1, 100).Longer(12), knng.Propagated(3, 100).Longer(20)}, 0.95},
	"default":     {[]baseline.System{knng.Default(0.95)}, 0.9},
}

func glue(alpha float64) baseline.System {
	return chenfs09.Glue{Options: chenfs09.Options{Alpha: alpha, LeafSize: 50}}
}

func overlap(alpha float64) baseline.System {
	return chenfs09.Overlap{Options: chenfs09.Options{Alpha: alpha, LeafSize: 50}}
}

// TestAgainstOracle: lists are lists of neighbors with their keys, recall grows
// with the parameters, one seed gives one graph.
func TestAgainstOracle(t *testing.T) {
	p := &baseline.Problem{Rows: rows(t, 1, 1500, 24, 40), Metric: distance.Euclidean, K: 10, Seed: 3, Threads: 1}
	truth := oracle(t, p)
	for name, ladder := range ladders {
		t.Run(name, func(t *testing.T) {
			before := -1.0
			for i, system := range ladder.steps {
				g, err := system.Build(context.Background(), p)
				if err != nil {
					t.Fatal(err)
				}
				if err := baseline.Check(p, g.Lists); err != nil {
					t.Error(err)
				}
				got := recallOf(truth, g.Lists)
				t.Logf("%+v: recall %.4f, %d comparisons, %v", system, got, g.Comparisons, g.Detail)
				if got <= before && before < 1-1e-9 {
					t.Errorf("step %d: recall %.4f, after %.4f", i, got, before)
				}
				before = got
				if i > 0 {
					continue
				}
				again, err := system.Build(context.Background(), p)
				if err != nil {
					t.Fatal(err)
				}
				if again.Comparisons != g.Comparisons || !equal(again.Lists, g.Lists) {
					t.Error("the same seed gave another graph")
				}
			}
			if before < ladder.least-1e-9 {
				t.Errorf("recall %.4f, want at least %.2f", before, ladder.least)
			}
		})
	}
}

func equal(a, b *knn.Lists) bool {
	for row := range uint32(a.N) {
		x, _ := a.List(row)
		y, _ := b.List(row)
		if !slices.Equal(x, y) {
			return false
		}
	}
	return true
}

// TestOddInputs: one row, few rows, more neighbors than rows, identical rows, and
// other metrics give valid lists or say that they cannot.
func TestOddInputs(t *testing.T) {
	for _, c := range []struct {
		n, dim, spread, k int
		metric            distance.Metric
	}{{1, 3, 5, 4, distance.Euclidean}, {2, 3, 5, 4, distance.Euclidean}, {7, 3, 5, 20, distance.SqEuclidean},
		{1500, 2, 1, 3, distance.Euclidean}, {1200, 8, 30, 1, distance.Cosine}} {
		p := &baseline.Problem{Rows: rows(t, 2, c.n, c.dim, c.spread), Metric: c.metric, K: c.k, Seed: 1, Threads: 1}
		for name, ladder := range ladders {
			t.Run(fmt.Sprintf("%s of %d", name, c.n), func(t *testing.T) {
				g, err := ladder.steps[0].Build(context.Background(), p)
				if errors.Is(err, baseline.ErrMetric) && c.metric == distance.Cosine {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := baseline.Check(p, g.Lists); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestCancel: a context that is done ends every build.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := &baseline.Problem{Rows: rows(t, 4, 3000, 8, 40), Metric: distance.Euclidean, K: 5, Seed: 1, Threads: 1}
	for name, ladder := range ladders {
		if _, err := ladder.steps[0].Build(ctx, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestScaled: brute force that is timed on some rows makes exact lists of them.
func TestScaled(t *testing.T) {
	p := &baseline.Problem{Rows: rows(t, 5, 700, 8, 40), Metric: distance.Euclidean, K: 5, Seed: 1, Threads: 1}
	truth := oracle(t, p)
	blocked, err := brute.Blocked{Rows: 300}.Build(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	naive, err := brute.Naive{Rows: 7}.Build(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if blocked.Seconds <= 0 || naive.Seconds <= 0 {
		t.Error("no time")
	}
	for row := range uint32(300) {
		want, _ := truth.List(row)
		if got, _ := blocked.Lists.List(row); !slices.Equal(got, want) {
			t.Fatalf("row %d: %v, want %v", row, got, want)
		}
		if got, _ := naive.Lists.List(row); row%100 == 0 && !slices.Equal(got, want) {
			t.Fatalf("naive: row %d: %v, want %v", row, got, want)
		}
	}
}

// TestCounts: comparisons are counted, not estimated.
func TestCounts(t *testing.T) {
	p := &baseline.Problem{Rows: rows(t, 5, 700, 8, 40), Metric: distance.Euclidean, K: 5, Seed: 1, Threads: 1}
	const n = 700
	for _, c := range []struct {
		system      baseline.System
		least, most int64
	}{
		{brute.Blocked{}, n * (n - 1) / 2, n * (n - 1) / 2},
		{brute.Blocked{Rows: 300}, n * (n - 1) / 2, n * (n - 1) / 2},
		{brute.Naive{}, n * (n - 1), n * (n - 1)},
		{brute.Naive{Rows: 10}, n * (n - 1), n * (n - 1)},
		{chenfs09.Glue{Options: chenfs09.Options{LeafSize: 1000}}, n * (n - 1) / 2, n * (n - 1) / 2},
		{nndescent.Builder{Length: 12, Rounds: 1}, 12 * n, 12*n + n*(12+12)*(12+12)},
		{knng.Divisions(2), 2 * 2 * 350 * 349 / 2 / 2, 2 * n * (n - 1) / 2},
	} {
		g, err := c.system.Build(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if g.Comparisons < c.least || g.Comparisons > c.most {
			t.Errorf("%T%+v: %d comparisons, want %d to %d", c.system, c.system, g.Comparisons, c.least, c.most)
		}
	}
}

func TestNoNeighborsAsked(t *testing.T) {
	p := &baseline.Problem{Rows: rows(t, 4, 30, 8, 40), Metric: distance.Euclidean}
	if _, err := (brute.Blocked{}).Build(context.Background(), p); err == nil {
		t.Error("k = 0 was accepted")
	}
}

func Example() {
	rows, err := vectors.FromFloat32([]float32{0, 1, 3, 7}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := &baseline.Problem{Rows: rows, Metric: distance.Euclidean, K: 1, Threads: 1}
	g, err := brute.Blocked{}.Build(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	ids, _ := g.Lists.List(2)
	fmt.Println(ids, g.Comparisons)
	// Output: [1] 6
}
