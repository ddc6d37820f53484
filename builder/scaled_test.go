package builder_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// asCompared is data as a build compares them: scaled where that is needed.
func asCompared(t testing.TB, data []float32, dim int) []float32 {
	t.Helper()
	exponent, _, err := vectors.ScaleOf(input(t, data, dim))
	if err != nil {
		t.Fatal(err)
	}
	return multiplied(data, exponent)
}

func multiplied(data []float32, exponent int) []float32 {
	out := slices.Clone(data)
	for i, x := range out {
		out[i] = vectors.Scale(x, exponent)
	}
	return out
}

// TestScaledData: multiplying all rows by a power of two leaves every list as it is, and
// multiplies the distances shown, under every metric and by every method.
func TestScaledData(t *testing.T) {
	const n, dim, k = 400, 3, 6
	rng := seeded(t)
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(rng.IntN(1000) - 400) // times 2^-149 is still a float32
	}
	for _, m := range []distance.Metric{distance.Euclidean, distance.SqEuclidean, distance.Cosine, distance.IP} {
		for _, method := range []builder.Method{builder.Exact, builder.Tree, builder.Paper, builder.Balls, builder.Parts} {
			o := builder.Options{K: k, Metric: m, Method: method, LeafSize: 50, Divisions: 3}
			if o.Validate() != nil || method == builder.Tree && !m.Squares() {
				continue
			}
			want := shownLists(t, data, dim, o)
			for _, power := range []int{-149, -140, -100, -76, -45, -20, 40, 60, 100, 117} {
				got := shownLists(t, multiplied(data, power), dim, o)
				if err := sameScaled(m, want, got, power); err != nil {
					t.Errorf("%v, %s, times 2^%d: %v", m, method, power, err)
				}
			}
		}
	}
}

// shownLists are the lists of a graph with the distances that people see.
func shownLists(t *testing.T, data []float32, dim int, o builder.Options) [][]store.Neighbor {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(context.Background(), dir, input(t, data, dim), o); err != nil {
		t.Fatal(err)
	}
	if report, err := store.Check(context.Background(), dir, store.CheckOptions{Full: true}); err != nil || !report.OK() {
		t.Errorf("check: %v %+v", err, report)
	}
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	lists := make([][]store.Neighbor, s.Len())
	for row := range lists {
		if lists[row], err = s.Neighbors(store.Row(row), nil); err != nil {
			t.Fatal(err)
		}
	}
	return lists
}

func sameScaled(m distance.Metric, want, got [][]store.Neighbor, power int) error {
	switch m {
	case distance.SqEuclidean, distance.IP:
		power *= 2
	case distance.Cosine:
		power = 0
	}
	for row := range want {
		for i, w := range want[row] {
			g := got[row][i]
			if g.Row != w.Row {
				return fmt.Errorf("row %d: neighbor %d is %d, unscaled %d", row, i, g.Row, w.Row)
			}
			expected := float32(math.Ldexp(float64(w.Distance), power))
			off := math.Abs(float64(g.Distance)-float64(expected)) / math.Abs(float64(expected))
			if g.Distance != expected && !(off < 1e-6) && math.Abs(float64(expected)) > 1e-37 {
				return fmt.Errorf("row %d: distance %d is %v, want %v", row, i, g.Distance, expected)
			}
		}
	}
	return nil
}

// TestScaledIsNotReferenced: rows that must be scaled cannot stay in their file.
func TestScaledIsNotReferenced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.fvecs")
	write(t, path, multiplied(clustered(5, 100, 4), -90), 4)
	in, err := vectors.Open([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	_, err = builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), in, builder.Options{K: 3, Reference: true})
	if !errors.Is(err, builder.ErrReference) || !strings.Contains(err.Error(), "scaled") {
		t.Errorf("error %v, want ErrReference", err)
	}
}

// TestIntegersReadAsFloats: values that are all denormal are named.
func TestIntegersReadAsFloats(t *testing.T) {
	data := make([]float32, 300)
	for i := range data {
		data[i] = math.Float32frombits(uint32(i * 7))
	}
	var said strings.Builder
	o := builder.Options{K: 3, Progress: func(e builder.Event) { fmt.Fprintf(&said, "%+v\n", e) }}
	build(t, filepath.Join(t.TempDir(), "g"), input(t, data, 3), o)
	if !strings.Contains(said.String(), "integers read as floats") {
		t.Errorf("not told: %s", said.String())
	}
}
