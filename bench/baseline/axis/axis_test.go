package axis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestProject: rows stretched along a direction are projected on it.
func TestProject(t *testing.T) {
	const n, dim = 500, 10
	rng := rand.New(rand.NewPCG(1, 1))
	data, want := make([]float32, n*dim), make([]float64, n)
	for i := range n {
		want[i] = 20 * rng.NormFloat64()
		for j := range dim {
			data[i*dim+j] = float32(5 + 0.1*rng.NormFloat64() + want[i]/math.Sqrt(dim))
		}
	}
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	x, err := baseline.NewPoints(&baseline.Problem{Rows: rows, Metric: distance.Euclidean, K: 1})
	if err != nil {
		t.Fatal(err)
	}
	at := NewFinder(x, Steps).Project(baseline.All(n), rng)
	var mean, sign float64
	for i, v := range at {
		mean += want[i] / n
		sign += float64(v) * want[i]
	}
	for i, v := range at {
		if got := math.Copysign(1, sign) * float64(v); math.Abs(got-(want[i]-mean)) > 1 {
			t.Fatalf("row %d lies at %v, want %v", i, got, want[i]-mean)
		}
	}
	if x.Compared != 0 {
		t.Errorf("projections count as %d comparisons", x.Compared)
	}
}
