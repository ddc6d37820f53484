package builder_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestMultiples: rows that are multiples of each other are equal under cosine but for rounding, and
// no build goes on to tell them apart.
func TestMultiples(t *testing.T) {
	const n, dim, rays = 3000, 24, 15
	rng := rand.New(rand.NewPCG(5, 6))
	directions := make([]float32, rays*dim)
	for i := range directions {
		directions[i] = float32(rng.NormFloat64())
	}
	data := make([]float32, 0, n*dim)
	for range n {
		size, ray := 1+9*rng.Float32(), rng.IntN(rays)
		for _, v := range directions[ray*dim : (ray+1)*dim] {
			data = append(data, size*v)
		}
	}
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []builder.Method{builder.Balls, builder.Parts, builder.Paper} {
		res, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), vectors.NewInput(rows),
			builder.Options{K: 10, Metric: distance.Cosine, Method: method, Recall: 0.99})
		if err != nil || res.Recall.Recall < 0.99 || res.Method != method {
			t.Errorf("%s: %+v, %v", method, res, err)
		}
	}
}
