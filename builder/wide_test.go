package builder_test

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// wide is a source of float64 rows of a program's own.
type wide struct {
	dim  int
	data []float64
}

func (w wide) Len() int           { return len(w.data) / w.dim }
func (w wide) Dim() int           { return w.dim }
func (w wide) Type() vectors.Type { return vectors.Float32 }
func (w wide) ReadWide(first int, dst []float64) error {
	copy(dst, w.data[first*w.dim:])
	return nil
}
func (w wide) ReadRows(first int, dst []byte) error {
	for i := range len(dst) / 4 {
		binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(float32(w.data[first*w.dim+i])))
	}
	return nil
}

// metres are places of a town, in metres of UTM.
func metres(n int) wide {
	rng := rand.New(rand.NewPCG(36, 3))
	w := wide{dim: 2}
	for range n {
		w.data = append(w.data, 500000+20*rng.Float64(), 4.6e6+20*rng.Float64())
	}
	return w
}

// nearest are the k rows nearest to a row of float64 under euclidean, by brute force.
func (w wide) nearest(x []float64, k int, not int) (rows []store.Row, distances []float64) {
	return w.nearestBy(math.Hypot, x, k, not)
}

// nearestBy are those by a distance of the differences of both columns.
func (w wide) nearestBy(of func(x, y float64) float64, x []float64, k int, not int) (rows []store.Row, distances []float64) {
	type entry struct {
		d   float64
		row int
	}
	var all []entry
	for i := range w.Len() {
		if i != not {
			all = append(all, entry{of(w.data[2*i]-x[0], w.data[2*i+1]-x[1]), i})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return int(math.Copysign(1, a.d-b.d)) })
	for _, e := range all[:k] {
		rows, distances = append(rows, store.Row(e.row)), append(distances, e.d)
	}
	return rows, distances
}

// TestFloat64: places in metres, which float32 merges, have the lists and distances of
// float64, whatever the method, after an interruption too, and are found by queries.
func TestFloat64(t *testing.T) {
	const k = 10
	w := metres(1500)
	for _, o := range []builder.Options{{K: k, Method: builder.Exact}, {K: k}, {K: k, Method: builder.Balls, Recall: 0.99}, {K: k, Metric: distance.SqEuclidean}} {
		dir := filepath.Join(t.TempDir(), "g")
		res, err := builder.Build(context.Background(), dir, vectors.NewInput(w), o)
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for row := 0; row < w.Len(); row += 17 {
			want, distances := w.nearest(w.data[2*row:2*row+2], k, row)
			got, err := s.Neighbors(store.Row(row), nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, n := range got {
				d := distances[i]
				if o.Metric == distance.SqEuclidean {
					d *= d
				}
				if n.Row != want[i] {
					wrong++
				} else if math.Abs(float64(n.Distance)-d) > 2e-5*d+3e-6*max(1, 2*math.Sqrt(d)) {
					t.Errorf("%s: row %d: distance %v, want %v", o.Method, row, n.Distance, d)
				}
			}
		}
		if wrong > 20 { // of 890
			t.Errorf("%s: %d entries differ from those of float64", res.Method, wrong)
		}
		if o.Metric != distance.SqEuclidean {
			found(t, s, w)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFloat64Differences: the other distances of differences are right of such places too.
func TestFloat64Differences(t *testing.T) {
	const k = 10
	w := metres(1500)
	for metric, of := range map[distance.Metric]func(x, y float64) float64{
		distance.L1:        func(x, y float64) float64 { return math.Abs(x) + math.Abs(y) },
		distance.Chebyshev: func(x, y float64) float64 { return max(math.Abs(x), math.Abs(y)) },
	} {
		_, lists := build(t, filepath.Join(t.TempDir(), "g"), vectors.NewInput(w), builder.Options{K: k, Metric: metric})
		wrong := 0
		for row := 0; row < w.Len(); row += 17 {
			want, distances := w.nearestBy(of, w.data[2*row:2*row+2], k, row)
			for i, e := range lists[row] {
				if store.Row(e.row) != want[i] {
					wrong++
				} else if math.Abs(float64(e.key)-distances[i]) > 1e-5 {
					t.Errorf("%v: row %d: distance %v, want %v", metric, row, e.key, distances[i])
				}
			}
		}
		if wrong > 20 { // of 890
			t.Errorf("%v: %d entries differ from those of float64", metric, wrong)
		}
	}
}

// TestFloat64Vanishes: rows that are all zero as float32, and are not, are refused.
func TestFloat64Vanishes(t *testing.T) {
	w := metres(100)
	for i := range w.data {
		w.data[i] *= 1e-60
	}
	dir := filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(context.Background(), dir, vectors.NewInput(w), builder.Options{K: 3}); err == nil || !strings.Contains(err.Error(), "is 0 as float32") {
		t.Errorf("%v", err)
	}
	w.data[7] = 1
	if _, err := builder.Build(context.Background(), dir, vectors.NewInput(w), builder.Options{K: 3}); err != nil {
		t.Errorf("with one element that float32 holds: %v", err)
	}
}

// found searches a store by float64 queries, and by queries of rows as the store gives them.
func found(t *testing.T, s *store.Store, w wide) {
	t.Helper()
	r, err := search.Open(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	queries := wide{2, []float64{500003.25, 4600011.125, 500019.01, 4600000.5}}
	lists, err := r.SearchAll(context.Background(), queries, search.Query{K: 5, Effort: 200})
	if err != nil {
		t.Fatal(err)
	}
	for i, list := range lists {
		want, distances := w.nearest(queries.data[2*i:2*i+2], 5, -1)
		for j, n := range list {
			if n.Row != want[j] || math.Abs(float64(n.Distance)-distances[j]) > 1e-5 {
				t.Errorf("query %d, result %d: row %d at %v, want %d at %v", i, j, n.Row, n.Distance, want[j], distances[j])
			}
		}
	}
	x, err := r.Vector(77, nil)
	if err != nil || math.Abs(float64(x[1])-w.data[2*77+1]) > 0.5 {
		t.Errorf("row 77 is %v, %v; want %v", x, err, w.data[2*77:2*77+2])
	}
	own, err := r.Wide(77)
	if err != nil {
		t.Fatal(err)
	}
	if lists, err = r.SearchAll(context.Background(), own, search.Query{K: 3, Effort: 200}); err != nil {
		t.Fatal(err)
	}
	want, _ := w.nearest(w.data[2*77:2*77+2], 3, -1)
	for j, n := range lists[0] {
		if n.Row != want[j] || j == 0 && n.Distance != 0 {
			t.Errorf("row 77 as a query, result %d: row %d at %v, want %d", j, n.Row, n.Distance, want[j])
		}
	}
	if tuned, err := r.Tune(context.Background(), search.TuneOptions{Recall: 0.9}); err != nil || tuned.Recall < 0.9 {
		t.Errorf("tuned to %+v, %v", tuned, err)
	}
}

// TestFloat64Resumed: a build of float64 rows is bound to them: the same rows go on, others
// are refused.
func TestFloat64Resumed(t *testing.T) {
	w := metres(1200)
	dir := filepath.Join(t.TempDir(), "g")
	o := builder.Options{K: 5, Method: builder.Balls, LeafSize: 64}
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(e builder.Event) {
		if e.End {
			cancel()
		}
	}
	if _, err := builder.Build(ctx, dir, vectors.NewInput(w), o); err == nil {
		t.Fatal("not interrupted")
	}
	o.Progress = nil
	moved := wide{2, slices.Clone(w.data)}
	moved.data[1] += 0.001 // nothing to float32 without offsets
	if _, err := builder.Build(context.Background(), dir, vectors.NewInput(moved), o); err == nil {
		t.Error("other rows went on with the build")
	}
	got, err := builder.Build(context.Background(), dir, vectors.NewInput(w), o)
	if err != nil {
		t.Fatal(err)
	}
	want, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), vectors.NewInput(w), o)
	if err != nil || got.Checksum != want.Checksum {
		t.Errorf("resumed %s, in one go %s, %v", got.Checksum, want.Checksum, err)
	}
}
