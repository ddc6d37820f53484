package screen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/products"
)

// TestBothScreensFindWhatIsNear: whatever bounds rows and columns have, in whatever
// order they tighten, no pair that either end would take is missing, and keys, where
// a screen tells them, are right.
func TestBothScreensFindWhatIsNear(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 100 {
		n, dim := 2+rng.IntN(200), 1+rng.IntN(60)
		rows, space := rowstest.Bytes(t, rng, n, dim, 256)
		m, err := codes.Of(rows, space, codes.Rounding{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := products.Of(rows, space, 1)
		if err != nil {
			t.Fatal(err)
		}
		key := func(a, b uint32) float32 { return space.Key(rows.Row(int(a)), rows.Row(int(b)), 0, 0) }
		for name, s := range map[string]Screen{"codes": Codes(m), "products": Products(p)} {
			if err := tryScreen(rng, s, n, key); err != nil {
				t.Fatalf("seed %d, %s, %d rows of %d: %v", seed, name, n, dim, err)
			}
		}
	}
}

func tryScreen(rng *rand.Rand, s Screen, n int, key func(a, b uint32) float32) error {
	some := func(of int) []uint32 {
		places := make([]uint32, 1+rng.IntN(of))
		for i := range places {
			places[i] = rng.Uint32N(uint32(n))
		}
		return places
	}
	bound := func() float32 { return key(rng.Uint32N(uint32(n)), rng.Uint32N(uint32(n))) }
	columns, band := some(n), some(BandRows)
	worst := make([]float32, len(columns))
	for j := range worst {
		worst[j] = bound()
	}
	s.Columns(columns, worst, band)
	s.Rows(band)
	for r, x := range band {
		j := rng.Uint32N(uint32(len(columns)))
		worst[j] = min(worst[j], bound())
		s.Tighten(j, worst[j])
		w := bound()
		near, keys := s.Near(r, w)
		for j, y := range columns {
			k := key(x, y)
			at := slices.Index(near, uint32(j))
			if at < 0 && (k <= w || k <= worst[j]) {
				return fmt.Errorf("rows %d and %d, key %v, missed with bounds %v and %v", x, y, k, w, worst[j])
			}
			if at >= 0 && keys != nil && keys[at] != k {
				return fmt.Errorf("rows %d and %d: key %v, want %v", x, y, keys[at], k)
			}
		}
	}
	return nil
}

func ExampleScreen() {
	rows, _ := vectors.FromFloat32([]float32{0, 0, 3, 4, 60, 80}, 2)
	space, _ := distance.New(distance.Euclidean, vectors.Float32, 2)
	m, _ := products.Of(rows, space, 1)
	s := Products(m)
	s.Columns([]uint32{1, 2}, nil, nil)
	s.Rows([]uint32{0})
	near, keys := s.Near(0, 25)
	fmt.Println(near, keys)
	// Output: [0] []
}
