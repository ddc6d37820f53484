package codes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// drawn are rows of elements that draw makes.
func drawn(t *testing.T, n, dim int, draw func(rng *rand.Rand, row int) float64) (*vectors.Rows, *distance.Space) {
	rng := rand.New(rand.NewPCG(3, uint64(dim)))
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(draw(rng, i/dim))
	}
	bytes := make([]byte, 4*len(data))
	if err := vectors.Encode(vectors.Float32, data, bytes); err != nil {
		t.Fatal(err)
	}
	rows, err := vectors.RowsOf(bytes, n, dim, 4*dim, vectors.Float32)
	if err != nil {
		t.Fatal(err)
	}
	space, err := distance.New(distance.Euclidean, vectors.Float32, dim)
	if err != nil {
		t.Fatal(err)
	}
	return rows, space
}

func normal(rng *rand.Rand, _ int) float64 { return rng.NormFloat64() }

// TestOutliers: a few rows that lie far out leave the step of all others as it was, and are named.
func TestOutliers(t *testing.T) {
	const n, dim = 4000, 20
	plain, space := drawn(t, n, dim, normal)
	want, _ := Fit(plain, space)
	for _, size := range []float64{100, 1e4, 1e12} {
		rows, space := drawn(t, n, dim, func(rng *rand.Rand, row int) float64 {
			if row%500 == 0 {
				return size * rng.NormFloat64()
			}
			return rng.NormFloat64()
		})
		for _, r := range []Rounding{FitRows(rows, space), must(Fit(rows, space))} {
			if ratio := r.PerUnit / want.PerUnit; !r.Robust || ratio < 0.5 || ratio > 2 {
				t.Errorf("outliers of %v: %v steps a unit, %v without them", size, r.PerUnit, want.PerUnit)
			}
			m, err := Of(rows, space, r, 1)
			if err != nil {
				t.Fatal(err)
			}
			few, all := m.Outliers(n)
			if !all || len(few) != n/500 {
				t.Errorf("outliers of %v: %d rows named, want %d", size, len(few), n/500)
			}
			for _, row := range few {
				if row%500 != 0 {
					t.Errorf("row %d is no outlier", row)
				}
			}
			if few, all := m.Outliers(3); all || len(few) != 3 {
				t.Errorf("at most 3 outliers: %d, all of them: %v", len(few), all)
			}
		}
	}
}

func must(r Rounding, _ bool) Rounding { return r }

// TestNoOutliers: tails that ever fewer rows have are no outliers, and neither is what tells many
// rows apart.
func TestNoOutliers(t *testing.T) {
	for name, draw := range map[string]func(*rand.Rand, int) float64{
		"normal":       normal,
		"cubes":        func(rng *rand.Rand, _ int) float64 { return math.Pow(rng.NormFloat64(), 3) },
		"two sizes":    func(rng *rand.Rand, row int) float64 { return rng.NormFloat64() * float64(1+1000*(row%2)) },
		"few elements": func(rng *rand.Rand, _ int) float64 { return math.Floor(rng.Float64() * 1.004) },
		"one value":    func(*rand.Rand, int) float64 { return 7 },
	} {
		rows, space := drawn(t, 4000, 20, draw)
		if r, _ := Fit(rows, space); r.Robust || !(r.PerUnit > 0) || math.IsInf(r.PerUnit, 0) {
			t.Errorf("%s: %v steps a unit, without outliers: %v", name, r.PerUnit, r.Robust)
		}
	}
}
