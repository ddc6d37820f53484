package living_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestSizesOfRows: a store of rows around 1e30, which a build scales, takes more of them, finds them
// and compacts; rows that are far larger than those of a store are refused in words.
func TestSizesOfRows(t *testing.T) {
	const n, dim = 300, 4
	for _, size := range []float32{1, 1e30, 1e-30} {
		rng := rand.New(rand.NewPCG(5, 5))
		row := func(size float32) []float32 {
			v := make([]float32, dim)
			for i := range v {
				v[i] = size * (1 + rng.Float32())
			}
			return v
		}
		var data []float32
		for range n {
			data = append(data, row(size)...)
		}
		in, err := vectors.FromFloat32(data, dim)
		fine(t, err)
		dir := filepath.Join(t.TempDir(), "g")
		_, err = builder.Build(t.Context(), dir, vectors.NewInput(in), builder.Options{K: 5})
		fine(t, err)
		db, err := living.Open(dir, nil)
		fine(t, err)
		defer db.Close()
		put := row(size)
		fine(t, db.Update(func(tx *living.Tx) error {
			if size < 1e30 {
				if _, err := tx.Put("", row(size*1e30)); !errors.Is(err, living.ErrVector) || !strings.Contains(err.Error(), "build all rows anew") {
					t.Errorf("rows of %v take one of 1e30: %v", size, err)
				}
			}
			_, err := tx.Put("", put)
			return err
		}))
		for range 2 {
			v, err := db.View()
			fine(t, err)
			found, err := v.Search(put, living.Query{K: 3})
			fine(t, err)
			if len(found) != 3 || found[0].Row != n || found[0].Distance != 0 || !(found[1].Distance > 0 && found[1].Distance < 4*size) {
				t.Errorf("rows of %v: %v", size, found)
			}
			v.Close()
			fine(t, rebuild.Compact(t.Context(), db, rebuild.Options{}))
		}
	}
}

// TestSizesWithoutBase: a store that was made empty finds rows of any size in the order of their distances, by float64, also where
// sizes are mixed, until it is compacted and after; a row by which the others could not be told apart is refused.
func TestSizesWithoutBase(t *testing.T) {
	for _, sizes := range [][]float32{{1}, {1e-30}, {1e-42}, {1e25}, {1e38}, {1, 1e-24}, {1e-30, 1e-12}} {
		for _, metric := range []distance.Metric{distance.Euclidean, distance.SqEuclidean, distance.Cosine, distance.L1, distance.Chebyshev} {
			t.Run(fmt.Sprintf("%v by %v", sizes, metric), func(t *testing.T) { sizesWithoutBase(t, sizes, metric) })
		}
	}
}

func sizesWithoutBase(t *testing.T, sizes []float32, metric distance.Metric) {
	const n, dim, k = 200, 4, 9
	rng := rand.New(rand.NewPCG(5, 5))
	db, err := living.Open(filepath.Join(t.TempDir(), "g"), &living.Options{Create: &living.Shape{Dim: dim, Metric: metric}})
	fine(t, err)
	defer db.Close()
	var rows [][]float32
	draw := func(size float32) []float32 {
		v := make([]float32, dim)
		for i := range v {
			v[i] = size * (1 + rng.Float32())
		}
		return v
	}
	fine(t, db.Update(func(tx *living.Tx) error {
		for i := range n {
			rows = append(rows, draw(sizes[i%len(sizes)]))
			if _, err := tx.Put("", rows[i]); err != nil {
				return err
			}
		}
		return nil
	}))
	v, err := db.View()
	fine(t, err)
	defer v.Close()
	for i := range 40 {
		query := draw(sizes[i%len(sizes)])
		found, err := v.Search(query, living.Query{K: k})
		fine(t, err)
		var want []float64
		for _, row := range rows {
			want = append(want, wide(metric, query, row))
		}
		all := slices.Sorted(slices.Values(want))
		if len(found) != k {
			t.Fatalf("%d rows found", len(found))
		}
		for j, f := range found {
			if got := want[f.Row]; got > all[j]*(1+1e-5)+1e-6*all[k-1] || math.Abs(min(float64(f.Distance), math.MaxFloat32)-min(got, math.MaxFloat32)) > 1e-5*got+1e-6*all[k-1]+1e-44 {
				t.Fatalf("query %d: result %d is row %d at %g, by float64 at %g, want %g", i, j, f.Row, f.Distance, got, all[j])
			}
		}
	}
	if sizes[0] != 1 || metric != distance.Euclidean {
		return
	}
	fine(t, db.Update(func(tx *living.Tx) error {
		if _, err := tx.Put("", draw(1e30)); !errors.Is(err, living.ErrVector) {
			t.Errorf("rows of %v take one of 1e30: %v", sizes, err)
		}
		return nil
	}))
}

// wide is a distance by float64.
func wide(metric distance.Metric, a, b []float32) float64 {
	var sum, squares, largest, product, x2, y2 float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		sum, squares, largest = sum+math.Abs(x-y), squares+(x-y)*(x-y), max(largest, math.Abs(x-y))
		product, x2, y2 = product+x*y, x2+x*x, y2+y*y
	}
	switch metric {
	case distance.L1:
		return sum
	case distance.SqEuclidean:
		return squares
	case distance.Chebyshev:
		return largest
	case distance.Cosine:
		return 1 - product/math.Sqrt(x2)/math.Sqrt(y2)
	}
	return math.Sqrt(squares)
}

// TestCompactsAllSizes: whatever rows Put takes a compaction takes too, also where a few are far larger or smaller than the
// median row, by which a build scales.
func TestCompactsAllSizes(t *testing.T) {
	metrics := []distance.Metric{distance.Euclidean, distance.IP, distance.Cosine, distance.Correlation, distance.L1}
	for seed := range uint64(5) {
		metric := metrics[seed%uint64(len(metrics))]
		t.Run(fmt.Sprintf("%v, seed %d", metric, seed), func(t *testing.T) { compactsAllSizes(t, metric, seed) })
	}
}

func compactsAllSizes(t *testing.T, metric distance.Metric, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	db, err := living.Open(filepath.Join(t.TempDir(), "g"), &living.Options{Create: &living.Shape{Dim: 3, K: 3, Metric: metric}})
	fine(t, err)
	defer db.Close()
	for range 2 { // without a base, and with one
		usual, other := rng.IntN(250)-125, rng.IntN(250)-125
		if rng.IntN(2) == 0 {
			usual, other = 0, 60+rng.IntN(6)
		}
		fine(t, db.Update(func(tx *living.Tx) error {
			for i := range 40 {
				size := usual
				if i%10 == 9 {
					size = other
				}
				row := make([]float32, 3)
				for j := range row {
					row[j] = float32(math.Ldexp(1+rng.Float64(), size))
				}
				if _, err := tx.Put("", row); err != nil && !errors.Is(err, living.ErrVector) {
					return err
				}
			}
			return nil
		}))
		v, err := db.View()
		fine(t, err)
		for row := range v.Rows() { // so that the median becomes another
			if uint64(row)%3 == seed%3 {
				fine(t, db.Update(func(tx *living.Tx) error { return tx.DeleteRow(row) }))
			}
		}
		v.Close()
		fine(t, rebuild.Compact(t.Context(), db, rebuild.Options{}))
	}
}

// TestNormLimit: beside a base Put takes no row that a compaction refuses for its norm.
func TestNormLimit(t *testing.T) {
	db, err := living.Open(filepath.Join(t.TempDir(), "g"), &living.Options{Create: &living.Shape{Dim: 2, K: 3}})
	fine(t, err)
	defer db.Close()
	put := func(x float64) (err error) {
		fine(t, db.Update(func(tx *living.Tx) error {
			for i := range 10 {
				_, err := tx.Put("", []float32{float32(i), 1})
				fine(t, err)
			}
			_, err = tx.Put("", []float32{float32(x), 0})
			return nil
		}))
		return err
	}
	for _, share := range []float64{0.99, 1 - 2e-6, 1 - 5e-7, 1} {
		if err := put(math.Sqrt(math.MaxFloat32/4) * math.Sqrt(share)); err != nil && !errors.Is(err, living.ErrVector) {
			t.Error(err)
		}
		fine(t, rebuild.Compact(t.Context(), db, rebuild.Options{}))
	}
}
