package builder_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// factors are rows as of a factorization: of a few directions, and of very different lengths.
func factors(rng *rand.Rand, n, dim int) []float32 {
	axes := make([]float64, 6*dim)
	for i := range axes {
		axes[i] = rng.NormFloat64()
	}
	data := make([]float32, 0, n*dim)
	for range n {
		row, size := make([]float64, dim), math.Exp(rng.NormFloat64()/2)
		for a := range 6 {
			x := rng.NormFloat64()
			for j := range row {
				row[j] += x * axes[a*dim+j]
			}
		}
		for _, x := range row {
			data = append(data, float32(size*(x+0.3*rng.NormFloat64())))
		}
	}
	return data
}

// TestInnerProductsInParts: the parts method reaches the target under inner products, its report
// holds against the oracle, and neither stretches and stripes of rows nor the room of blocks change
// the graph.
func TestInnerProductsInParts(t *testing.T) {
	const n, dim, k = 5000, 16, 10
	data := factors(rand.New(rand.NewPCG(8, 3)), n, dim)
	truth := bruteForce(t, data, dim, k, distance.IP)
	for _, aim := range []float64{0.8, 0.97} {
		var sums []string
		for _, cut := range []struct {
			group  int64
			stripe int
		}{{64 << 20, 4 << 20}, {40_000, 8000}, {1, 8000}} {
			restore := builder.SmallParts(cut.group, cut.stripe)
			res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim),
				builder.Options{K: k, Metric: distance.IP, Method: builder.Parts, Recall: aim})
			restore()
			checkLists(t, lists, k)
			got := recallOf(lists, truth)
			t.Logf("recall %.4f, reported %+v, %s, %d pairs", got, res.Recall, res.Stop, res.RequestedPairs)
			if got < aim-0.01 || got < res.Recall.Low-0.01 || got > res.Recall.High+0.01 {
				t.Errorf("recall %.4f, reported %+v, target %v", got, res.Recall, aim)
			}
			if res.RequestedPairs > n*n/2 {
				t.Errorf("%d pairs, all are %d", res.RequestedPairs, n*n/2)
			}
			sums = append(sums, res.Checksum)
		}
		if sums[0] != sums[1] || sums[0] != sums[2] {
			t.Errorf("checksums %v", sums)
		}
	}
}

// TestZeroProducts: keys of 0 of either sign are as near as each other, so that lists of them ascend by
// place, as the parts method asks of the lists that it unites.
func TestZeroProducts(t *testing.T) {
	const n, dim, k = 600, 4, 10
	rng := rand.New(rand.NewPCG(8, 5))
	data := make([]float32, n*dim)
	for i := range n {
		if i%100 == 50 { // few rows: their products vanish, to 0 of either sign
			for j := range dim / 2 {
				data[i*dim+j] = float32(1e-30 * rng.NormFloat64())
			}
		} else { // product 0 with the other kind
			data[i*dim+dim/2] = float32(i%4 - 2)
		}
	}
	for _, divisions := range []int{1, 5, 64} {
		_, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), builder.Options{K: k, Metric: distance.IP, Method: builder.Parts, Divisions: divisions})
		checkLists(t, lists, k)
		for row, list := range lists {
			if row%100 == 50 && list[0].key != 0 {
				t.Fatalf("row %d: %v", row, list)
			}
		}
	}
}

// TestTinyProducts: where products vanish, of tiny rows and of zero rows, the graph does not depend on
// the order in which goroutines offer them.
func TestTinyProducts(t *testing.T) {
	const n, dim, k = 600, 4, 10
	rng := rand.New(rand.NewPCG(8, 6))
	data := make([]float32, n*dim)
	for i := range data {
		switch i / dim % 6 {
		case 0, 1:
			data[i] = float32(1e-30 * rng.NormFloat64())
		case 2: // zero
		default:
			data[i] = float32(rng.NormFloat64())
		}
	}
	for _, method := range []builder.Method{builder.Balls, builder.Parts} {
		sums := map[string]bool{}
		for i := range 8 {
			r, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), builder.Options{K: k, Metric: distance.IP, Method: method, Divisions: 64, Threads: 1 + 3*(i%2)})
			checkLists(t, lists, k)
			sums[r.Checksum] = true
		}
		if len(sums) != 1 {
			t.Errorf("%s: %d graphs of one input", method, len(sums))
		}
	}
}

// TestInnerProductsWithinMemory: a limit that the balls method refuses is enough for parts, which
// the refusal names, and the graph is that of any other limit.
func TestInnerProductsWithinMemory(t *testing.T) {
	defer builder.SmallParts(3<<20, 1<<19)()
	const n, dim, k = 60_000, 4, 100
	data := factors(rand.New(rand.NewPCG(8, 4)), n, dim)
	o := builder.Options{K: k, Metric: distance.IP, Method: builder.Balls, Divisions: 8, Memory: 1 << 20}
	_, err := builder.Build(t.Context(), filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	if !errors.Is(err, builder.ErrMemory) {
		t.Fatalf("error %v, want ErrMemory", err)
	}
	var balls, parts float64
	_, advice, _ := strings.Cut(err.Error(), "; method parts needs ")
	if _, err := fmt.Sscanf(advice, "%f MiB", &parts); err != nil {
		t.Fatalf("%q names no memory: %v", advice, err)
	}
	if _, advice, _ = strings.Cut(err.Error(), "need "); advice != "" {
		fmt.Sscanf(advice, "%f MiB", &balls)
	}
	if parts >= balls {
		t.Errorf("parts needs %v MiB, balls %v", parts, balls)
	}
	o.Method, o.Memory = builder.Parts, int64(parts*(1<<20))
	little, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	o.Memory = 1 << 30
	if much, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o); much.Checksum != little.Checksum {
		t.Errorf("checksums %s and %s", little.Checksum, much.Checksum)
	}
}
