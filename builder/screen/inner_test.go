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

// anyRows draws rows of some type, far from zero or not, some of them far out.
func anyRows(t *testing.T, rng *rand.Rand, n, dim int) *vectors.Rows {
	t.Helper()
	typ := []vectors.Type{vectors.Float32, vectors.Uint8, vectors.Int8}[rng.IntN(3)]
	if typ == vectors.Float32 {
		return floats(t, rng, n, dim)
	}
	data := make([]byte, n*dim)
	for i := range data {
		data[i] = byte(rng.Uint32())
		if rng.IntN(3) == 0 {
			data[i] = []byte{0, 127, 128, 255}[rng.IntN(4)]
		}
	}
	rows, err := vectors.RowsOf(data, n, dim, dim, typ)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func innerOf(t *testing.T, rows *vectors.Rows) (*codes.Matrix, *distance.Space, bool) {
	t.Helper()
	space, err := distance.New(distance.IP, rows.Type(), rows.Dim())
	if err != nil {
		t.Fatal(err)
	}
	m, err := codes.Of(rows, space, codes.FitRows(rows, space), 1)
	if err != nil {
		t.Fatal(err)
	}
	in, fits, err := m.Inner(rows, space, 1)
	if err != nil {
		t.Fatal(err)
	}
	return in, space, fits
}

// TestInnerFindsWhatIsNear: codes miss no pair that either end would take under inner
// products, of any type and on any scale, and an empty list finds all it has room for.
func TestInnerFindsWhatIsNear(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	fitted := 0
	for range 150 {
		n, dim := 2+rng.IntN(200), 1+rng.IntN(60)
		rows := anyRows(t, rng, n, dim)
		in, space, fits := innerOf(t, rows)
		if !fits {
			continue
		}
		fitted++
		key := func(a, b uint32) float32 { return space.Key(rows.Row(int(a)), rows.Row(int(b)), 0, 0) }
		k := 1 + rng.IntN(n)
		s := NewRounded(in, k).Screen()
		if err := tryScreen(rng, s, n, key); err != nil {
			t.Fatalf("seed %d, %v, %d rows of %d: %v", seed, rows.Type(), n, dim, err)
		}
		s.Columns(spread(n, n), nil, nil)
		s.Rows([]uint32{0})
		if near := s.(Primer).Prime(0); len(near) < min(n, k+1) {
			t.Errorf("%d columns of %d are near row 0, want more than %d", len(near), n, k)
		}
		if all, _ := s.Near(0, float32(math.Inf(1))); len(all) != n {
			t.Errorf("%d of %d columns may enter a list with room", len(all), n)
		}
	}
	if fitted < 100 {
		t.Errorf("%d of 150 matrices have codes that fit", fitted)
	}
}

// TestInnerBoundsOfWholeNumbers: codes of bytes are exact, and so are what they say of
// inner products: nothing passes that is not near.
func TestInnerBoundsOfWholeNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n, dim = 300, 24
	for _, typ := range []vectors.Type{vectors.Uint8, vectors.Int8} {
		data := make([]byte, n*dim)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		rows, err := vectors.RowsOf(data, n, dim, dim, typ)
		if err != nil {
			t.Fatal(err)
		}
		in, space, _ := innerOf(t, rows)
		s := NewRounded(in, 10).Screen()
		s.Columns(spread(n, n), nil, nil)
		s.Rows([]uint32{7})
		keys := make([]float32, n)
		for y := range keys {
			keys[y] = space.Key(rows.Row(7), rows.Row(y), 0, 0)
		}
		sorted := slices.Sorted(slices.Values(keys))
		near, _ := s.Near(0, sorted[9])
		for _, j := range near {
			if keys[j] > sorted[10] { // bounds are a few whole numbers wide
				t.Errorf("%v: a row with key %v is within %v", typ, keys[j], sorted[9])
			}
		}
	}
}

// TestInnerTells: codes tell products of rows around zero, and not of rows that lie far
// from zero and close together.
func TestInnerTells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n, dim = 2000, 32
	for _, far := range []float64{0, 1e6} {
		data := make([]float32, n*dim)
		for i := range data {
			data[i] = float32(far + rng.NormFloat64())
		}
		rows, err := vectors.FromFloat32(data, dim)
		if err != nil {
			t.Fatal(err)
		}
		in, _, fits := innerOf(t, rows)
		if got := fits && NewRounded(in, 10).Tells(); got != (far == 0) {
			t.Errorf("%v from zero: codes tell: %v", far, got)
		}
	}
}
