package builder_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// TestMultiples: rows that are multiples of each other are equal under cosine, and under correlation
// if a number is added to each as well, but for rounding: no build goes on to tell them apart.
func TestMultiples(t *testing.T) {
	const n, dim, rays = 3000, 24, 15
	for _, metric := range []distance.Metric{distance.Cosine, distance.Correlation} {
		rng := rand.New(rand.NewPCG(5, 6))
		directions := make([]float32, rays*dim)
		for i := range directions {
			directions[i] = float32(rng.NormFloat64())
		}
		data := make([]float32, 0, n*dim)
		for range n {
			size, ray, more := 1+9*rng.Float32(), rng.IntN(rays), float32(0)
			if metric == distance.Correlation {
				more = 0.3 * rng.Float32()
			}
			for _, v := range directions[ray*dim : (ray+1)*dim] {
				data = append(data, size*v+more)
			}
		}
		for _, method := range []builder.Method{builder.Balls, builder.Parts, builder.Paper} {
			res, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), input(t, data, dim),
				builder.Options{K: 10, Metric: metric, Method: method, Recall: 0.99})
			if err != nil || res.Recall.Recall < 0.99 || res.Method != method {
				t.Errorf("%v, %s: %+v, %v", metric, method, res, err)
			}
		}
	}
}
