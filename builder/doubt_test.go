package builder_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// easyToSteer are rows of which those that steer have all their neighbors at hand, in heaps of k+1, and
// most others lie in a cloud of many dimensions. Under inner products no row is much longer than another.
func easyToSteer(n, dim, k, steer int, metric distance.Metric) []float32 {
	rng := rand.New(rand.NewPCG(36, 7))
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	if metric == distance.IP {
		for i := 0; i < n; i++ {
			row, squares := data[i*dim:(i+1)*dim], 0.0
			for _, x := range row {
				squares += float64(x * x)
			}
			length := (0.7 + 0.4*rng.Float64()) / math.Sqrt(squares)
			for j := range row {
				row[j] *= float32(length)
			}
		}
	}
	steering, _ := recall.Disjoint(n, steer, 0, 1)
	steers := map[int]bool{}
	for _, row := range steering {
		steers[int(row)] = true
	}
	mate := 0
	for _, row := range steering {
		center := data[int(row)*dim : int(row+1)*dim]
		far, near := float32(10), 0.01
		if metric == distance.IP {
			squares := 0.0
			for _, x := range center {
				squares += float64(x * x)
			}
			far, near = float32(1.1/math.Sqrt(squares)), 0.001
		}
		for j := range center {
			center[j] *= far
		}
		for range k {
			for steers[mate] {
				mate++
			}
			for j, x := range center {
				data[mate*dim+j] = x + float32(near*rng.NormFloat64())
			}
			mate++
		}
	}
	return data
}

// TestSteeredWrongly: where the rows that steer find their neighbors at once and others do not, a build
// does not stop at the recall of the former. One that is stopped there makes the same graph.
func TestSteeredWrongly(t *testing.T) {
	if testing.Short() {
		t.Skip("builds graphs of some thousand rows, each three times")
	}
	defer builder.KeepEvery(0)()
	const n, dim, k, target, leaf = 9000, 32, 5, 0.9, 200
	for _, c := range []struct {
		method builder.Method
		metric distance.Metric
		steer  int // rows
	}{
		{builder.Balls, distance.Euclidean, controls.Rows},
		{builder.Balls, distance.IP, controls.Rows},
		{builder.Paper, distance.Euclidean, controls.Share(8*leaf/4 + builder.DefaultVisits)},
	} {
		t.Run(string(c.method)+" "+c.metric.String(), func(t *testing.T) {
			data := easyToSteer(n, dim, k, c.steer, c.metric)
			rows, err := vectors.FromFloat32(data, dim)
			if err != nil {
				t.Fatal(err)
			}
			o := builder.Options{K: k, Metric: c.metric, Method: c.method, Recall: target, LeafSize: leaf}
			whole, stopped := filepath.Join(t.TempDir(), "g"), filepath.Join(t.TempDir(), "g")
			joined := 0
			o.Progress = func(e builder.Event) {
				if strings.Contains(e.Message, "they steer too") {
					joined++
				}
			}
			res, err := builder.Build(context.Background(), whole, vectors.NewInput(rows), o)
			if err != nil {
				t.Fatal(err)
			}
			found := recallOf(read(t, whole), bruteForce(t, data, dim, k, c.metric))
			t.Logf("found %.4f, reported %+v, %d times more rows steered: %s", found, res.Recall, joined, res.Stop)
			if joined == 0 || res.Err() != nil || found < target-0.02 {
				t.Errorf("found %.4f, want %v", found, target)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			o.Progress = func(e builder.Event) {
				if strings.Contains(e.Message, "they steer too") {
					cancel()
				}
			}
			if _, err := builder.Build(ctx, stopped, vectors.NewInput(rows), o); !errors.Is(err, context.Canceled) {
				t.Fatalf("stopped: %v", err)
			}
			o.Progress = nil
			again, err := builder.Build(context.Background(), stopped, vectors.NewInput(rows), o)
			if err != nil {
				t.Fatal(err)
			}
			if again.RequestedPairs != res.RequestedPairs || !reflect.DeepEqual(read(t, whole), read(t, stopped)) {
				t.Errorf("a build that was stopped requested %d pairs, want %d, or its graph differs", again.RequestedPairs, res.RequestedPairs)
			}
		})
	}
}
