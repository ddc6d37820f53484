package builder_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
)

const flatDim = 256

// flat is n rows of 256 whole numbers that vary along some directions, and a little along
// all others.
func flat(n, directions int) []float32 {
	rng := rand.New(rand.NewPCG(2026, 24))
	m := make([]int, directions*flatDim)
	for i := range m {
		m[i] = rng.IntN(9) - 4
	}
	data := make([]float32, 0, n*flatDim)
	for range n {
		along := make([]int, directions)
		for j := range along {
			along[j] = rng.IntN(7) + rng.IntN(7) - 6
		}
		for i := range flatDim {
			x := 128 + rng.IntN(5)
			for j, t := range along {
				x += t * m[j*flatDim+i] / 2
			}
			data = append(data, float32(min(max(x, 1), 255)))
		}
	}
	return data
}

// typed is the rows of data as elements of a type.
func typed(t *testing.T, data []float32, dim int, typ vectors.Type) *vectors.Input {
	t.Helper()
	bytes := make([]byte, len(data)*typ.Size())
	if typ == vectors.Int8 {
		shifted := make([]float32, len(data))
		for i, x := range data {
			shifted[i] = x - 128
		}
		data = shifted
	}
	if err := vectors.Encode(typ, data, bytes); err != nil {
		t.Fatal(err)
	}
	rows, err := vectors.RowsOf(bytes, len(data)/dim, dim, dim*typ.Size(), typ)
	if err != nil {
		t.Fatal(err)
	}
	return vectors.NewInput(rows)
}

// TestAxes: rows that vary along few directions are compared along few axes, with lists as
// good as the target asks, of every type and metric; rows of noise along all dimensions.
func TestAxes(t *testing.T) {
	defer builder.ReduceFrom(1000)()
	const n, k = 2500, 10
	data := flat(n, 24)
	noise := make([]float32, n*flatDim)
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range noise {
		noise[i] = float32(1 + rng.IntN(255))
	}
	o := builder.Options{K: k, Method: builder.Balls, LeafSize: 100, Recall: 0.95}
	for _, typ := range []vectors.Type{vectors.Uint8, vectors.Int8, vectors.Float16, vectors.Float32} {
		for _, m := range []distance.Metric{distance.Euclidean, distance.Cosine} {
			if typ == vectors.Int8 && m == distance.Cosine {
				continue // other rows than those of the oracle: they were moved
			}
			o.Metric = m
			res, lists := build(t, filepath.Join(t.TempDir(), "g"), typed(t, data, flatDim, typ), o)
			checkLists(t, lists, k)
			got := recallOf(lists, bruteForce(t, data, flatDim, k, m))
			t.Logf("%v %v: %d axes, recall %.4f", typ, m, res.Axes, got)
			if res.Axes == 0 || res.Axes > 96 {
				t.Errorf("%v %v: %d axes for rows that vary along 24 directions", typ, m, res.Axes)
			}
			more := (res.Recall.High - res.Recall.Low) / 2 // of intervals of 95 % one in twenty misses
			if got < 0.94 || got < res.Recall.Low-more || got > res.Recall.High+more {
				t.Errorf("%v %v: recall %.4f, reported %+v", typ, m, got, res.Recall)
			}
		}
	}
	o.Metric = distance.Euclidean
	all := o
	all.Recall = 1 // which nothing may be lost for
	if res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, flatDim), all); res.Axes != 0 {
		t.Errorf("recall 1 was sought along %d axes, and found %v", res.Axes, recallOf(lists, bruteForce(t, data, flatDim, k, o.Metric)))
	}
	if res, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, noise, flatDim), o); res.Axes != 0 {
		t.Errorf("noise was compared along %d axes", res.Axes)
	}
	o.Balls.AllAxes = true
	if res, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, flatDim), o); res.Axes != 0 {
		t.Errorf("rows were compared along %d axes, not along all dimensions", res.Axes)
	}
}

// TestAxesAgain: neither threads nor interruptions change a graph that was
// built along axes, which those who go on read from the disk.
func TestAxesAgain(t *testing.T) {
	defer builder.ReduceFrom(1000)()
	defer builder.KeepEvery(0)()
	data := flat(2500, 90)
	for _, o := range []builder.Options{
		{K: 10, Method: builder.Balls, LeafSize: 100, Recall: 0.97, Threads: 1},
		{K: 10, Method: builder.Balls, LeafSize: 100, Divisions: 12, Rounds: 1, Threads: 1},
	} {
		want, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, flatDim), o)
		if want.Axes == 0 {
			t.Fatal("no axes")
		}
		o.Threads = 3
		dir := filepath.Join(t.TempDir(), "g")
		stops := 0
		for _, phase := range []string{"axes", "division 1", "division 2", "propagation 1", "rerank"} {
			ctx, cancel := context.WithCancel(context.Background())
			o.Progress = func(e builder.Event) {
				if e.Phase == phase {
					cancel()
				}
			}
			_, err := builder.Build(ctx, dir, input(t, data, flatDim), o)
			cancel()
			if err == nil {
				t.Fatalf("%s: the build was not interrupted", phase)
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v", phase, err)
			}
			stops++
		}
		o.Progress = nil
		got, _ := build(t, dir, input(t, data, flatDim), o)
		if got.Checksum != want.Checksum || got.Axes != want.Axes {
			t.Errorf("after %d interruptions %d axes, checksum %s; want %d, %s", stops, got.Axes, got.Checksum, want.Axes, want.Checksum)
		}
	}
}

// TestGoldenAxes pins a graph that was built along axes: see TestGoldenGraphs.
func TestGoldenAxes(t *testing.T) {
	defer builder.ReduceFrom(1000)()
	for typ, want := range map[vectors.Type]string{
		vectors.Uint8:   "f2dc99c3299290c398a59fe88bda090ab39b54671a0d2a2591c9ac771af4baa6",
		vectors.Float32: "4c1ed9c7985a35e1af14cb60b9abfc1724c3e0475f5daf3056b58b2d91479906",
	} {
		o := builder.Options{K: 10, Method: builder.Balls, LeafSize: 100, Recall: 0.98}
		res, _ := build(t, filepath.Join(t.TempDir(), "g"), typed(t, flat(1500, 90), flatDim, typ), o)
		if res.Axes <= codes.LeadAxes || res.Checksum != want { // some lead
			t.Errorf("%v: %d axes, checksum %s, want %s", typ, res.Axes, res.Checksum, want)
		}
	}
}
