package builder_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestCorrelationFarFromZero: rows that lie far from zero, each by an offset of its own which
// float32 holds beside the values, have the neighbors and distances of the same rows without:
// means are subtracted in float64, pair by pair. Rows of float64 may lie farther, by one offset.
func TestCorrelationFarFromZero(t *testing.T) {
	const dim, n, k = 24, 300, 8
	rng := seeded(t)
	near, far, wider := make([]float32, n*dim), make([]float32, n*dim), wide{dim: dim}
	for row := range n {
		offset := 20_000 * float64(rng.IntN(2)+row%3)
		for j := row * dim; j < (row+1)*dim; j++ {
			x := math.Round(64*rng.NormFloat64()) / 64
			near[j], far[j] = float32(x), float32(x+offset)
			if float64(far[j]) != x+offset {
				t.Fatalf("float32 does not hold %v: the test is wrong", x+offset)
			}
			wider.data = append(wider.data, x+1e9)
		}
	}
	o := builder.Options{K: k, Metric: distance.Correlation, Method: builder.Exact}
	_, want := build(t, filepath.Join(t.TempDir(), "near"), input(t, near, dim), o)
	for name, in := range map[string]*vectors.Input{"float32": input(t, far, dim), "float64": vectors.NewInput(wider)} {
		dir := filepath.Join(t.TempDir(), name)
		if _, err := builder.Build(context.Background(), dir, in, o); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for row, list := range read(t, dir) {
			for i, e := range list {
				w := want[row][i]
				if math.Abs(float64(e.key-w.key)) > 1e-6*float64(w.key) {
					t.Fatalf("%s: row %d, neighbor %d: row %d at %v, want row %d at %v", name, row, i, e.row, e.key, w.row, w.key)
				}
			}
		}
	}
}

// TestCorrelationIsCosine: graphs under correlation take the pairs of cosine of the same rows less
// their means, to a few per cent, and reach the target, by every method and of every type.
func TestCorrelationIsCosine(t *testing.T) {
	const dim, n, k = 32, 4000, 10
	data := clustered(seeded(t).Uint64(), n, dim)
	centered := make([]float32, len(data))
	for row := range n {
		sum := 0.0
		for _, x := range data[row*dim : (row+1)*dim] {
			sum += float64(x)
		}
		for j := row * dim; j < (row+1)*dim; j++ {
			centered[j] = float32(float64(data[j]) - sum/dim)
		}
	}
	truth := bruteForce(t, data, dim, k, distance.Correlation)
	for _, method := range []builder.Method{builder.Exact, builder.Balls, builder.Parts, builder.Paper} {
		o := builder.Options{K: k, Method: method, LeafSize: 200, Recall: 0.95, Metric: distance.Cosine}
		cosine, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, centered, dim), o)
		o.Metric = distance.Correlation
		for _, typ := range []vectors.Type{vectors.Float32, vectors.Uint8} {
			res, lists := build(t, filepath.Join(t.TempDir(), "g"), typed(t, data, dim, typ), o)
			if got := recallOf(lists, truth); got < 0.93 || method == builder.Exact && got < 1 {
				t.Errorf("%s, %v: recall %.4f", method, typ, got)
			}
			if more := float64(res.RequestedPairs) / float64(cosine.RequestedPairs); more > 1.1 {
				t.Errorf("%s, %v: %d pairs, cosine of rows less their means takes %d", method, typ, res.RequestedPairs, cosine.RequestedPairs)
			}
		}
	}
}
