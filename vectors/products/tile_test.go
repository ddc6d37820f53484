package products

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// randomRows are rows that try the roundings: far from the origin, of very
// different lengths, repeated, zero.
func randomRows(t *testing.T, rng *rand.Rand, n, dim int, typ vectors.Type) *vectors.Rows {
	size := dim * typ.Size()
	data := make([]byte, n*size)
	offset := float64(rng.IntN(3) * 50)
	for i := range n {
		scale := 1.0
		if rng.IntN(10) == 0 {
			scale = math.Pow(2, float64(rng.IntN(8)-4))
		}
		if i > 0 && rng.IntN(8) == 0 {
			copy(data[i*size:(i+1)*size], data[rng.IntN(i)*size:])
			continue
		}
		for j := range dim {
			x := float32(scale*rng.NormFloat64() + offset)
			at := data[i*size+j*typ.Size():]
			switch typ {
			case vectors.Uint8, vectors.Int8:
				at[0] = byte(rng.Uint32())
			case vectors.Float16:
				binary.LittleEndian.PutUint16(at, vectors.Float32ToFloat16(x))
			default:
				binary.LittleEndian.PutUint32(at, math.Float32bits(x))
			}
		}
	}
	rows, err := vectors.RowsOf(data, n, dim, size, typ)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestNothingNearIsMissed: every pair whose key is at most the bound of either end
// is found, and where bounds are tight little else.
func TestNothingNearIsMissed(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	found, needed := 0, 0
	for range 150 {
		n, dim := 2+rng.IntN(150), 1+rng.IntN(100)
		typ := []vectors.Type{vectors.Uint8, vectors.Int8, vectors.Float16, vectors.Float32}[rng.IntN(4)]
		metric := []distance.Metric{distance.Euclidean, distance.SqEuclidean, distance.Cosine, distance.IP, distance.Correlation}[rng.IntN(5)]
		if metric == distance.Correlation {
			dim += 2 // of fewer most rows have none
		}
		rows := randomRows(t, rng, n, dim, typ)
		space, err := distance.New(metric, typ, dim)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Of(rows, space, 2)
		if err != nil {
			t.Fatal(err)
		}
		key := func(a, b uint32) float32 {
			x, y := rows.Row(int(a)), rows.Row(int(b))
			return space.Key(x, y, space.Norm(x), space.Norm(y))
		}
		all := make([]uint32, n)
		for i := range all {
			all[i] = uint32(i)
		}
		some := func() float32 { return key(rng.Uint32N(uint32(n)), rng.Uint32N(uint32(n))) }
		worst := make([]float32, n)
		for j := range worst {
			worst[j] = some()
		}
		tile := m.NewTile()
		tile.Columns(all, worst, m.Longest(all))
		for range 5 {
			j := rng.Uint32N(uint32(n))
			worst[j] = min(worst[j], some())
			tile.Tighten(j, worst[j])
		}
		band := all[rng.IntN(n):]
		band = band[:min(BandRows, len(band))]
		tile.Rows(band)
		for r, x := range band {
			bound := some()
			if rng.IntN(5) == 0 {
				bound = float32(math.Inf(1))
			}
			near := tile.Near(r, bound)
			found += len(near)
			for j, y := range all {
				k := key(x, y)
				if !(k <= bound) && !(k <= worst[j]) {
					continue
				}
				needed++
				if !slices.Contains(near, uint32(j)) {
					t.Fatalf("seed %d, %v %v dim %d: key %v of %d and %d is missed, bounds %v and %v", seed, metric, typ, dim, k, x, y, bound, worst[j])
				}
			}
		}
	}
	t.Logf("%d pairs found, %d of them needed", found, needed)
	if found > needed*11/10 {
		t.Errorf("%d pairs found where %d were needed", found, needed)
	}
}

// TestSillyLengths: what overflows float32 is let through.
func TestSillyLengths(t *testing.T) {
	data := make([]byte, 4*4)
	for i, x := range []float32{3e38, -3e38, 1e25, 1e-44} {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(x))
	}
	rows, err := vectors.RowsOf(data, 4, 1, 4, vectors.Float32)
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range []distance.Metric{distance.Euclidean, distance.Cosine, distance.IP} {
		space, err := distance.New(metric, vectors.Float32, 1)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Of(rows, space, 1)
		if err != nil {
			t.Fatal(err)
		}
		tile := m.NewTile()
		all := []uint32{0, 1, 2, 3}
		tile.Columns(all, make([]float32, 4), m.Longest(all))
		tile.Rows(all)
		for r := range all {
			x := rows.Row(r)
			for j := range all {
				y := rows.Row(j)
				key := space.Key(x, y, space.Norm(x), space.Norm(y))
				if !slices.Contains(tile.Near(r, key), uint32(j)) {
					t.Errorf("%v: rows %d and %d, key %v, missed", metric, r, j, key)
				}
			}
		}
	}
}

func ExampleTile() {
	rows, _ := vectors.FromFloat32([]float32{0, 0, 3, 4, 60, 80}, 2)
	space, _ := distance.New(distance.Euclidean, vectors.Float32, 2)
	m, _ := Of(rows, space, 1)
	t := m.NewTile()
	t.Columns([]uint32{0, 1, 2}, nil, 0)
	t.Rows([]uint32{0})
	fmt.Println(t.Near(0, 25))
	// Output: [0 1]
}
