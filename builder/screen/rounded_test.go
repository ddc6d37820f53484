package screen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
)

// floats draws rows in clusters, some of them far out, of any scale.
func floats(t *testing.T, rng *rand.Rand, n, dim int) *vectors.Rows {
	t.Helper()
	scale := math.Pow(10, float64(rng.IntN(70)-35))
	data := make([]float32, n*dim)
	for i := range n {
		far := 1.0
		if rng.IntN(20) == 0 {
			far = 30
		}
		for j := range dim {
			data[i*dim+j] = float32(scale * (far*rng.NormFloat64() + 3*float64(i%5)))
		}
	}
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestRoundedFindsWhatIsNear: codes that are not exact miss no pair that either end
// would take, whatever is clipped, and on any scale of the rows.
func TestRoundedFindsWhatIsNear(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 150 {
		n, dim := 2+rng.IntN(200), 1+rng.IntN(60)
		metric := []distance.Metric{distance.Euclidean, distance.SqEuclidean, distance.Cosine, distance.Correlation}[rng.IntN(4)]
		if metric == distance.Correlation {
			dim += 2 // of fewer most rows have none
		}
		rows := floats(t, rng, n, dim)
		space, err := distance.New(metric, vectors.Float32, dim)
		if err != nil {
			t.Fatal(err)
		}
		usual, _ := codes.Fit(rows, space)
		for _, rounding := range []codes.Rounding{usual, codes.FitRows(rows, space)} {
			m, err := codes.Of(rows, space, rounding, 1)
			if err != nil {
				t.Fatal(err)
			}
			key := func(a, b uint32) float32 {
				x, y := rows.Row(int(a)), rows.Row(int(b))
				return space.Key(x, y, space.Norm(x), space.Norm(y))
			}
			s := NewRounded(m, 1+rng.IntN(n)).Screen()
			if err := tryScreen(rng, s, n, key); err != nil {
				t.Fatalf("seed %d, %v, %d rows of %d: %v", seed, metric, n, dim, err)
			}
			tryPrime(t, rng, s.(*byRounded), n)
		}
	}
}

// tryPrime: an empty list finds all neighbors it has room for, if there are so many.
func tryPrime(t *testing.T, rng *rand.Rand, s *byRounded, n int) {
	t.Helper()
	columns := make([]uint32, n)
	for i := range columns {
		columns[i] = uint32(i)
	}
	s.Columns(columns, nil, columns)
	x := rng.Uint32N(uint32(n))
	s.Rows([]uint32{x})
	near := slices.Clone(s.Prime(0))
	if len(near) < min(n, s.k+1) || !slices.Contains(near, x) {
		t.Errorf("%d columns of %d are near row %d, itself among them %v, want more than %d", len(near), n, x, slices.Contains(near, x), s.k)
	}
	if again, _ := s.Near(0, float32(math.Inf(1))); len(again) != n {
		t.Errorf("%d of %d columns may enter a list with room", len(again), n)
	}
}

// TestRoundedLeavesOut: bounds leave next to nothing open where lists take nothing. (Where
// rows lie far out, bounds may leave everything open: that is slow, not wrong.)
func TestRoundedLeavesOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, dim = 500, 32
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	space, err := distance.New(distance.Euclidean, vectors.Float32, dim)
	if err != nil {
		t.Fatal(err)
	}
	m, err := codes.Of(rows, space, codes.FitRows(rows, space), 1)
	if err != nil {
		t.Fatal(err)
	}
	s := NewRounded(m, 10).Screen()
	columns := spread(n, n)
	s.Columns(columns, nil, columns)
	for _, x := range columns {
		s.Rows([]uint32{x})
		if near, _ := s.Near(0, float32(math.Inf(-1))); len(near) > 2 {
			t.Errorf("row %d: %d of %d columns may enter a list that takes nothing", x, len(near), n)
		}
	}
}

// TestTells: codes tell where residuals are small beside distances, and not where few
// elements hold all there is.
func TestTells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n, dim = 2000, 32
	for _, spike := range []float64{0, 1e4} {
		data := make([]float32, n*dim)
		for i := range data {
			data[i] = float32(rng.NormFloat64())
			if i%dim == 0 {
				data[i] += float32(spike * rng.NormFloat64())
			}
		}
		rows, err := vectors.FromFloat32(data, dim)
		if err != nil {
			t.Fatal(err)
		}
		if spike > 0 { // two rows that differ in all but the first dimension
			for i := range n {
				data[i*dim] = float32(spike * float64(i/200))
			}
		}
		space, err := distance.New(distance.Euclidean, vectors.Float32, dim)
		if err != nil {
			t.Fatal(err)
		}
		rounding := codes.FitRows(rows, space)
		m, err := codes.Of(rows, space, rounding, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := NewRounded(m, 10).Tells(); got != (spike == 0) {
			t.Errorf("spike %v: codes tell: %v", spike, got)
		}
	}
}
