package theory

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/vectors"
)

// TestLemmas draws trees whose pairs are discovered with known probabilities.
func TestLemmas(t *testing.T) {
	const trials = 200_000
	rng := rand.New(rand.NewPCG(1, 1))
	drawn := func(q float64, trees int) bool {
		for range trees {
			if rng.Float64() < q {
				return true
			}
		}
		return false
	}
	share := func(event func() bool) float64 {
		n := 0
		for range trials {
			if event() {
				n++
			}
		}
		return float64(n) / trials
	}
	const direct, first, second, trees = 0.1, 0.2, 0.3, 4
	both := func(a, b float64) bool { return drawn(a, trees) && drawn(b, trees) }
	for name, c := range map[string][2]float64{
		"Lemma 1":   {Discovered(direct, trees), share(func() bool { return drawn(direct, trees) })},
		"Lemma 2":   {New(direct, trees), share(func() bool { return !drawn(direct, trees-1) && drawn(direct, 1) })},
		"Lemma 3":   {Through([]float64{first, second}, trees), share(func() bool { return both(first, second) })},
		"Theorem 1": {WithRound(direct, first, second, trees), share(func() bool { return drawn(direct, trees) || both(first, second) })},
		"bound":     {Bound(direct, trees), share(func() bool { return drawn(direct, trees) || both(direct, direct) })},
	} {
		if math.Abs(c[0]-c[1]) > 0.005 {
			t.Errorf("%s: %.4f, drawn %.4f", name, c[0], c[1])
		}
	}
}

// TestMissedByAll: the estimate has no bias.
func TestMissedByAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const q, all, trees, trials = 0.2, 12, 5, 100_000
	var sum float64
	for range trials {
		n := 0
		for range all {
			if rng.Float64() < q {
				n++
			}
		}
		sum += missedByAll(n, all, trees) / trials
	}
	if want := math.Pow(1-q, trees); math.Abs(sum-want) > 0.005 {
		t.Errorf("%.4f, want %.4f", sum, want)
	}
}

// TestSameBucket integrates what the appendix writes.
func TestSameBucket(t *testing.T) {
	for _, c := range [][2]float64{{1, 2}, {3, 2}, {0.1, 5}} {
		d, w := c[0], c[1]
		const steps = 100_000
		var sum float64
		for i := range steps {
			x := (float64(i) + 0.5) * w / steps
			density := math.Sqrt(2/math.Pi) * math.Exp(-x*x/(2*d*d))
			sum += density / d * (1 - x/w) * w / steps
		}
		if got := SameBucket(d, w); math.Abs(got-sum) > 1e-6 {
			t.Errorf("distance %v, width %v: %v, want %v", d, w, got, sum)
		}
	}
	if SameBucket(1, 2) <= 0.5 {
		t.Error("w = 2d does not give more than 1/2")
	}
}

// TestReport: where P is known and hyperplanes are independent, what is found is
// what Lemma 1 says; the bucket's bound is one; shares are shares.
func TestReport(t *testing.T) {
	const n, dim = 1000, 10
	rng := rand.New(rand.NewPCG(3, 3))
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), Config{Rows: rows, K: 8, LeafSize: 100, Sample: 400, Estimate: 64, Trees: 12, Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Depth != 4 || r.Pairs != 400*8 {
		t.Errorf("depth %d, %d pairs", r.Depth, r.Pairs)
	}
	origin, hashed := r.Known[1], r.Known[2]
	for i := range origin.X {
		if math.Abs(origin.X[i]-origin.Y[i]) > 0.03 {
			t.Errorf("through the origin: predicted %.3f, found %.3f", origin.X[i], origin.Y[i])
		}
		if hashed.Y[i] < hashed.X[i]-0.03 {
			t.Errorf("2-stable hash: at least %.3f predicted, found %.3f", hashed.X[i], hashed.Y[i])
		}
	}
	for _, curves := range [][]Curve{r.Found, r.New, r.Paths, r.Round, r.PerPair, r.Levels, r.Known} {
		for _, c := range curves {
			if len(c.X) != len(c.Y) || len(c.X) == 0 {
				t.Errorf("%s: %d and %d numbers", c.Name, len(c.X), len(c.Y))
			}
			for _, y := range c.Y {
				if y < 0 || y > 1+1e-9 {
					t.Errorf("%s: %v", c.Name, y)
				}
			}
		}
	}
	// Trees are independent: what they predict for others is found.
	found, trees := r.Found[0], r.Found[2]
	for i := range found.Y {
		if math.Abs(found.Y[i]-trees.Y[i]) > 0.04 {
			t.Errorf("%d trees: %.3f found, %.3f predicted by trees", i+1, found.Y[i], trees.Y[i])
		}
	}
}
