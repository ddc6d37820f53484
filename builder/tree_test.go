package builder

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// plane is n rows of few dimensions: a town with most of them, copies, and far outliers.
func plane(t *testing.T, n, dim int, typ vectors.Type) *vectors.Rows {
	t.Helper()
	rng, values := rand.New(rand.NewPCG(uint64(n), uint64(dim))), make([]float32, n*dim)
	for i := range n {
		for j := range dim {
			switch x := rng.Float32(); {
			case i%50 == 0:
				values[i*dim+j] = 100 * x
			case i%7 == 0 && i > 7:
				values[i*dim+j] = values[(i-7)*dim+j]
			default:
				values[i*dim+j] = 40 + 5*x
			}
		}
	}
	data := make([]byte, n*dim*typ.Size())
	for i, x := range values {
		if typ == vectors.Uint8 || typ == vectors.Int8 {
			x = float32(int(x))
		}
		if err := vectors.Encode(typ, []float32{x}, data[i*typ.Size():]); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := vectors.RowsOf(data, n, dim, dim*typ.Size(), typ)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestTreeIsExact: the graph is that of all pairs, byte for byte, for every type of rows.
func TestTreeIsExact(t *testing.T) {
	for _, c := range []struct {
		n, dim, k int
		typ       vectors.Type
		metric    distance.Metric
	}{
		{3000, 2, 10, vectors.Float32, distance.Euclidean}, {3000, 3, 7, vectors.Float16, distance.SqEuclidean},
		{2000, 8, 5, vectors.Uint8, distance.Euclidean}, {1000, 1, 20, vectors.Int8, distance.Euclidean},
		{1, 2, 5, vectors.Float32, distance.Euclidean}, {2, 2, 5, vectors.Float32, distance.Euclidean}, {40, 2, 100, vectors.Float32, distance.Euclidean},
	} {
		rows := plane(t, c.n, c.dim, c.typ)
		var sums []string
		for _, method := range []Method{Exact, Tree} {
			r, err := Build(t.Context(), filepath.Join(t.TempDir(), "g"), vectors.NewInput(rows), Options{K: c.k, Method: method, Metric: c.metric, Threads: 2})
			if err != nil {
				t.Fatalf("%d x %d: %v", c.n, c.dim, err)
			}
			sums = append(sums, r.Checksum)
		}
		if sums[0] != sums[1] {
			t.Errorf("%d x %d %v: the tree's graph differs from that of all pairs", c.n, c.dim, c.typ)
		}
	}
}

// TestTreeResumes: interrupted after every progress report, a build ends with the same
// graph.
func TestTreeResumes(t *testing.T) {
	rows, sum := plane(t, 40_000, 2, vectors.Float32), ""
	for _, every := range []int{0, 3} {
		dir := filepath.Join(t.TempDir(), "g")
		for run := 0; ; run++ {
			ctx, cancel := context.WithCancel(t.Context())
			events := 0
			r, err := Build(ctx, dir, vectors.NewInput(rows), Options{K: 5, Threads: 1 + run%2, Progress: func(Event) {
				if events++; every > 0 && events > every+run {
					cancel()
				}
			}})
			cancel()
			if errors.Is(err, context.Canceled) && run < 200 {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Method != Tree {
				t.Errorf("auto takes %s", r.Method)
			}
			if sum == "" {
				sum = r.Checksum
			}
			if r.Checksum != sum {
				t.Errorf("resumed %d times: another graph", run)
			}
			break
		}
	}
}

// TestTreeReference: rows that stay where they are have the same graph.
func TestTreeReference(t *testing.T) {
	rows := plane(t, 21_000, 3, vectors.Float32)
	file := filepath.Join(t.TempDir(), "x.npy")
	w, err := vectors.Create(file, rows.Type(), rows.Dim())
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows.Len() {
		if err := w.Append(rows.Row(i), ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var sums []string
	for _, reference := range []bool{false, true} {
		in, err := vectors.Open([]string{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Build(t.Context(), filepath.Join(t.TempDir(), "g"), in, Options{K: 5, Method: Tree, Reference: reference})
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, r.Checksum)
		in.Close()
	}
	if sums[0] != sums[1] {
		t.Error("referenced rows have another graph")
	}
}

// TestTreeChosen: auto takes a tree for few dimensions, and for more where few rows are
// visited; the tree refuses what it does not know.
func TestTreeChosen(t *testing.T) {
	flat := plane(t, 70_000, 8, vectors.Float32)
	for i := range flat.Len() { // constant but for two columns
		clear(flat.Row(i)[8:])
	}
	rng, noise := rand.New(rand.NewPCG(1, 1)), make([]float32, 70_000*8)
	for i := range noise {
		noise[i] = float32(rng.NormFloat64())
	}
	gauss, err := vectors.FromFloat32(noise, 8)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows   *vectors.Rows
		metric distance.Metric
		want   Method
	}{
		{plane(t, 21_000, 2, vectors.Float32), distance.Euclidean, Tree}, {plane(t, 10_000, 2, vectors.Float32), distance.Euclidean, Exact},
		{plane(t, 21_000, 2, vectors.Float32), distance.Cosine, Exact}, {flat, distance.Euclidean, Tree}, {gauss, distance.Euclidean, Exact},
	} {
		p, err := Plan(t.Context(), vectors.NewInput(c.rows), Options{Metric: c.metric})
		if err != nil {
			t.Fatal(err)
		}
		if p.Method != string(c.want) && !(c.want == Exact && p.Method == string(Balls)) {
			t.Errorf("%d x %d %v: %s, want %s", c.rows.Len(), c.rows.Dim(), c.metric, p.Method, c.want)
		}
	}
	for _, c := range []struct {
		dim    int
		metric distance.Metric
		want   string
	}{{2, distance.Cosine, "Metric is cosine, want euclidean or sqeuclidean with method tree"}, {9, distance.Euclidean, "at most 8 dimensions"}} {
		_, err = Build(t.Context(), filepath.Join(t.TempDir(), "g"), vectors.NewInput(plane(t, 100, c.dim, vectors.Float32)), Options{Method: Tree, Metric: c.metric})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d dimensions under %v: %v, want %q", c.dim, c.metric, err, c.want)
		}
	}
}
