package builder_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// shape is rows of a shape that users have and that codes of one step for all cannot tell.
type shape struct {
	name   string
	n, dim int
	make   func(rng *rand.Rand, n, dim int) []float32
}

// gaussian draws rows of independent elements.
func gaussian(rng *rand.Rand, n, dim int) []float32 {
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	return data
}

var shapes = []shape{
	{"islands", 6000, 16, func(rng *rand.Rand, n, dim int) []float32 {
		data := make([]float32, 0, n*dim)
		for len(data) < n*dim {
			center, scale := gaussian(rng, 1, dim), math.Pow(10, 4*rng.Float64()-3)
			for range 1 + rng.IntN(600) {
				for j := range dim {
					data = append(data, float32(1000*float64(center[j])+scale*rng.NormFloat64()))
				}
			}
		}
		return data[:n*dim]
	}},
	{"near-copies", 6000, 32, func(rng *rand.Rand, n, dim int) []float32 {
		base := gaussian(rng, n/40, dim)
		data := make([]float32, n*dim)
		for i := range data {
			data[i] = base[i/dim%(n/40)*dim+i%dim] + float32(0.001*rng.NormFloat64())
		}
		return data
	}},
	{"few large rows", 3000, 24, func(rng *rand.Rand, n, dim int) []float32 {
		data := gaussian(rng, n, dim)
		for i := 0; i < n; i += 500 {
			for j := range dim {
				data[i*dim+j] *= 1e4
			}
		}
		return data
	}},
	{"one outlier", 3000, 12, func(rng *rand.Rand, n, dim int) []float32 {
		data := gaussian(rng, n, dim)
		for j := range dim {
			data[j] = 1e8
		}
		return data
	}},
	{"log-normal", 2500, 16, func(rng *rand.Rand, n, dim int) []float32 {
		data := gaussian(rng, n, dim)
		for i, x := range data {
			data[i] = float32(math.Exp(4 * float64(x)))
		}
		return data
	}},
	{"one column of 1e6", 2500, 16, func(rng *rand.Rand, n, dim int) []float32 {
		data := gaussian(rng, n, dim)
		for i := 0; i < len(data); i += dim {
			data[i] *= 1e6
		}
		return data
	}},
	{"a city", 6000, 8, func(rng *rand.Rand, n, dim int) []float32 {
		data := gaussian(rng, n, dim)
		for i := range n {
			if rng.IntN(50) > 0 {
				for j := range dim {
					data[i*dim+j] = 40 + data[i*dim+j]/1000
				}
			}
		}
		return data
	}},
	{"constant", 2000, 10, func(_ *rand.Rand, n, dim int) []float32 {
		data := make([]float32, n*dim)
		for i := range data {
			data[i] = 7
		}
		return data
	}},
	{"a spiral of scales", 5200, 10, func(rng *rand.Rand, n, dim int) []float32 {
		data := make([]float32, n*dim)
		for i := range n {
			radius := math.Pow(10, 6*float64(i)/float64(n)-3)
			for j := range dim {
				data[i*dim+j] = float32(radius * math.Sin(float64(i)/50+float64(j)) * (1 + 0.01*rng.NormFloat64()))
			}
		}
		return data
	}},
}

// TestAnyData: balls and parts come to the recall asked for on data of any shape, or say that
// they did not; what they report holds.
func TestAnyData(t *testing.T) {
	const k, target = 10, 0.95
	for _, s := range shapes {
		if testing.Short() && s.n > 4000 {
			continue
		}
		data := s.make(rand.New(rand.NewPCG(36, uint64(len(s.name)))), s.n, s.dim)
		truth := bruteForce(t, data, s.dim, k, distance.Euclidean)
		for _, method := range []builder.Method{builder.Balls, builder.Parts} {
			t.Run(fmt.Sprintf("%s/%s", s.name, method), func(t *testing.T) {
				res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, s.dim), builder.Options{K: k, Method: method, Recall: target})
				checkLists(t, lists, k)
				got := recallOf(lists, truth)
				t.Logf("recall %.4f, reported %.4f, scan rate %.2f, %s", got, res.Recall.Recall, res.ScanRate, res.Stop)
				if got < target-0.005 {
					t.Errorf("recall %.4f where %v was asked for: %s", got, target, res.Stop)
				}
				if res.Short || res.Err() != nil {
					t.Errorf("short: %v", res.Err())
				}
				if got < res.Recall.Low-0.01 || got > res.Recall.High+0.01 {
					t.Errorf("recall %.4f, reported %+v", got, res.Recall)
				}
			})
		}
	}
}

// TestAnyDataAgain: neither threads nor interruptions change a graph of a build that changes its
// means.
func TestAnyDataAgain(t *testing.T) {
	defer builder.KeepEvery(0)()
	hard := gaussian(rand.New(rand.NewPCG(3, 3)), 3000, 24)
	islands := shapes[0].make(rand.New(rand.NewPCG(3, 4)), 6000, 16)
	for name, c := range map[string]struct {
		data []float32
		dim  int
		o    builder.Options
	}{
		"keys":           {islands, 16, builder.Options{K: 10, Method: builder.Balls, Recall: 0.98}},
		"to all pairs":   {hard, 24, builder.Options{K: 10, Method: builder.Balls, LeafSize: 50, Recall: 0.999}},
		"in parts":       {islands, 16, builder.Options{K: 10, Method: builder.Parts, Recall: 0.98}},
		"parts to all":   {hard, 24, builder.Options{K: 10, Method: builder.Parts, Recall: 0.9999}},
		"paper to all":   {hard, 24, builder.Options{K: 10, Method: builder.Paper, LeafSize: 50, Paper: builder.PaperOptions{Visits: 50}, Recall: 1}},
		"keys, to all":   {islands, 16, builder.Options{K: 10, Method: builder.Balls, LeafSize: 50, Recall: 1}},
		"keys, cosine":   {islands, 16, builder.Options{K: 10, Method: builder.Balls, Recall: 0.98, Metric: distance.Cosine}},
		"capped at keys": {islands, 16, builder.Options{K: 10, Method: builder.Balls, LeafSize: 50, Recall: 0.999, Divisions: 8}},
	} {
		if testing.Short() && name != "to all pairs" && name != "in parts" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			o := c.o
			o.Threads = 1
			want, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, c.data, c.dim), o)
			t.Logf("recall %.4f, method %s, %d divisions, %d rounds: %s", want.Recall.Recall, want.Method, want.Divisions, want.Rounds, want.Stop)
			o.Threads = 3
			dir, stops := filepath.Join(t.TempDir(), "g"), 0
			for {
				ctx, cancel := context.WithCancel(context.Background())
				begun := 0
				o.Progress = func(e builder.Event) {
					if e.End {
						if begun++; begun > 3+stops { // a little further each time
							cancel()
						}
					}
				}
				got, err := builder.Build(ctx, dir, input(t, c.data, c.dim), o)
				cancel()
				if err == nil {
					if got.Checksum != want.Checksum || got.Stop != want.Stop {
						t.Errorf("after %d interruptions checksum %s, %s; want %s, %s", stops, got.Checksum, got.Stop, want.Checksum, want.Stop)
					}
					return
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if stops++; stops > 60 {
					t.Fatal("it does not come to its end")
				}
			}
		})
	}
}
