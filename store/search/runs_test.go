package search

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

const runRows, runDim = 9000, 32

// runBudget holds codes of 8 bytes, and neither rows nor links.
const runBudget = 19 * runRows

// runStore is a store of rows that drift, far from the origin.
func runStore(t *testing.T, metric distance.Metric) *store.Store {
	t.Helper()
	rng := rand.New(rand.NewPCG(2, 3))
	values := make([]float32, runRows*runDim)
	for i := range runRows {
		for j := range runDim {
			values[i*runDim+j] = 1000 + float32(i)/100*float32(j%3) + 10*rng.Float32()
		}
	}
	rows, err := vectors.FromFloat32(values, runDim)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(t.Context(), dir, vectors.NewInput(rows), builder.Options{K: 10, Method: builder.Balls, Metric: metric}); err != nil {
		t.Fatal(err)
	}
	g, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// TestRuns: codes of what rows differ by from the mean of their run estimate the distance of a query from the row that they
// stand for, but for the level, also where all rows are far from the origin.
func TestRuns(t *testing.T) {
	for _, metric := range []distance.Metric{distance.Euclidean, distance.Cosine} {
		t.Run(metric.String(), func(t *testing.T) {
			s := searcher(t, runStore(t, metric), Options{Budget: runBudget})
			c := s.coded
			if c == nil || c.runs == nil || len(c.runs.centers) != 3*runDim || c.Bytes() != 8 {
				t.Fatalf("%+v: want codes by runs", s.State())
			}
			w, query := newWalker(s), make([]float32, runDim)
			s.space.Float32(s.rows.Row(4321), query)
			if err := w.begin(query, Query{K: 10, Effort: 20}); err != nil {
				t.Fatal(err)
			}
			w.prepare()
			places, keys := []uint32{0, 4095, 4096, 8999}, make([]float32, 4)
			c.Keys(w.byCodes.table, c.codes, places, keys)
			w.byCodes.addRuns(c, places, keys)
			s.straighten(query)
			code, want, most := make([]float32, runDim), make([]float64, len(places)), 0.0
			for i, p := range places {
				c.Decode(c.code(p), code)
				for j, x := range code {
					d := float64(query[j]) - float64(c.runs.center(int(p))[j]) - float64(x)
					want[i] += d * d
				}
				if s.space.NeedsNorms() {
					want[i] /= 2
				}
				most = max(most, want[i])
			}
			for i, p := range places {
				if math.Abs(float64(keys[i])-want[i]) > 0.01*most {
					t.Errorf("place %d: estimate %v, its code is %v away", p, keys[i], want[i])
				}
			}
		})
	}
}

// TestRunsDamaged: a changed mean of a run is found out.
func TestRunsDamaged(t *testing.T) {
	g := runStore(t, distance.Euclidean)
	searcher(t, g, Options{Budget: runBudget})
	path := CodesPath(g.Dir())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(t.Context(), g); err != nil {
		t.Error(err)
	}
	for _, at := range []int{128, headerBytes + 4*256*runDim, headerBytes + 4*256*(runDim+1) + 4*3*runDim - 1} {
		bad := slices.Clone(whole)
		bad[at] ^= 4
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := Check(t.Context(), g); !errors.Is(err, ErrCorrupt) {
			t.Errorf("byte %d: %v", at, err)
		}
		if from := searcher(t, g, Options{Budget: runBudget}).State().CodesFrom; from.Replaced == nil || !from.Made {
			t.Errorf("byte %d: %+v", at, from)
		}
		if again, err := os.ReadFile(path); err != nil || !slices.Equal(again, whole) {
			t.Errorf("byte %d: not made again: %v", at, err)
		}
	}
}

// TestRunOf: a run is whole blocks, and there are not too many.
func TestRunOf(t *testing.T) {
	for _, n := range []int{1, 4096, 4097, 20_000_000, 1 << 32} {
		if size := runOf(n); size%blockPlaces != 0 || runsOf(n, size) > mostRuns || size < leastRun {
			t.Errorf("%d places: runs of %d", n, size)
		}
	}
}
