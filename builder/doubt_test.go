package builder_test

import (
	"context"
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
	row := func(i int) []float32 { return data[i*dim:][:dim] }
	far, near := 10.0, 0.01 // heaps from the cloud, and rows of a heap from each other
	if metric == distance.IP {
		for i := range n {
			scale(row(i), (0.7+0.4*rng.Float64())/length(row(i)))
		}
		near = 0.001
	}
	steering, _ := recall.Disjoint(n, steer, 0, 1)
	steers := map[int]bool{}
	for _, i := range steering {
		steers[int(i)] = true
	}
	mate := 0
	for _, i := range steering {
		center := row(int(i))
		if metric == distance.IP {
			far = 1.1 / length(center)
		}
		scale(center, far)
		for range k {
			for steers[mate] {
				mate++
			}
			for j, x := range center {
				row(mate)[j] = x + float32(near*rng.NormFloat64())
			}
			mate++
		}
	}
	return data
}

func length(row []float32) float64 {
	squares := 0.0
	for _, x := range row {
		squares += float64(x * x)
	}
	return math.Sqrt(squares)
}

func scale(row []float32, by float64) {
	for j := range row {
		row[j] *= float32(by)
	}
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
			whole := filepath.Join(t.TempDir(), "g")
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
			stopped, again := stoppedAt(t, rows, o, "they steer too")
			if again.RequestedPairs != res.RequestedPairs || !reflect.DeepEqual(read(t, whole), read(t, stopped)) {
				t.Errorf("a build that was stopped requested %d pairs, want %d, or its graph differs", again.RequestedPairs, res.RequestedPairs)
			}
		})
	}
}
