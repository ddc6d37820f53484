package codes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// between returns n exact rows of codes from least to most.
func between(t *testing.T, rng *rand.Rand, n, dim, least, most int) *Matrix {
	data := make([]byte, n*dim)
	for i := range data {
		data[i] = byte(least + rng.IntN(most-least+1))
	}
	rows, err := vectors.RowsOf(data, n, dim, dim, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := matrixOf(t, rows, distance.SqEuclidean)
	return m
}

func shortOf(t *testing.T, m *Matrix, s Shortening) *Matrix {
	t.Helper()
	short, err := m.Short(s, make([]byte, m.ShortBytes()), 2)
	if err != nil {
		t.Fatal(err)
	}
	return short
}

// TestShort: short codes divide the range evenly, rounded, and tiles give their distances.
func TestShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 41))
	for _, dim := range []int{1, 3, 32, 50, 128, 130} {
		m := between(t, rng, 200, dim, 0, 255)
		s := Shortening{Least: byte(rng.IntN(60)), Most: byte(70 + rng.IntN(186))}
		short := shortOf(t, m, s)
		if !short.Reduced() || short.Exact() || short.Len() != m.Len() || short.Dim() != m.Dim() {
			t.Fatalf("%d rows of %d codes, reduced %v, exact %v", short.Len(), short.Dim(), short.Reduced(), short.Exact())
		}
		steps := float64(max(63, int(s.Most)-int(s.Least))) / 63
		for i := range m.Len() {
			for j, x := range m.row(i) {
				want := min(max(0, int((float64(x)-float64(s.Least))/steps+0.5)), 63)
				if got := int(short.row(i)[j]); got != want {
					t.Fatalf("%+v: the short code of %d is %d, want %d", s, x, got, want)
				}
			}
		}
		checkTile(t, rng, short)
	}
}

// checkTile holds the distances of a tile, and what is near, against those of rows one by one.
func checkTile(t *testing.T, rng *rand.Rand, m *Matrix) {
	t.Helper()
	tile, columns := m.NewTile(), numbers(1+rng.IntN(m.Len()-1))
	tile.Columns(columns, nil)
	band := columns[:min(len(columns), 1+rng.IntN(BandRows))]
	tile.Rows(band, len(columns))
	for r, x := range band {
		distances, ids := tile.Within(r, ^uint32(0))
		if !slices.Equal(ids, columns) {
			t.Fatalf("columns %v, want %v", ids, columns)
		}
		for j, y := range columns {
			if want := m.Distance(x, y); distances[j] != want {
				t.Fatalf("distance of %d and %d is %d, want %d", x, y, distances[j], want)
			}
		}
		checkBounds(t, tile, r, distances)
	}
	bounds, either := make([]uint32, len(band)), make([]uint32, len(columns)+15)
	for _, limits := range [][]uint32{bounds, either} {
		for i := range limits {
			limits[i] = m.Distance(uint32(rng.IntN(m.Len())), uint32(rng.IntN(m.Len())))
		}
	}
	tile.Pairs(band, len(columns), bounds, either)
	for r, x := range band {
		listed, distances := tile.Marked(r, len(columns))
		for j, y := range columns {
			want := m.Distance(x, y)
			near := want <= max(bounds[r], either[j])
			if marked := slices.Contains(listed, uint32(j)); marked != near || near && distances[j] != want {
				t.Fatalf("rows %d and %d: marked %v at %d, want %v at %d", x, y, marked, distances[j], near, want)
			}
		}
	}
}

// TestShortening: few codes are clipped, a range that is short keeps all distances, and a row's
// few far codes do not widen it.
func TestShortening(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 41))
	narrow := between(t, rng, 300, 24, 90, 153)
	if s := narrow.Shortening(); s != (Shortening{90, 153}) {
		t.Errorf("codes from 90 to 153 are shortened from %d to %d", s.Least, s.Most)
	}
	short := shortOf(t, narrow, narrow.Shortening())
	for range 1000 {
		x, y := rng.Uint32N(300), rng.Uint32N(300)
		if a, b := short.Distance(x, y), narrow.Distance(x, y); a != b {
			t.Fatalf("distance %d, want %d", a, b)
		}
	}
	narrow.row(7)[3], narrow.row(8)[3] = 0, 255
	if s := narrow.Shortening(); s != (Shortening{90, 153}) {
		t.Errorf("two codes of 7,200 lie far out: shortened from %d to %d, want 90 to 153", s.Least, s.Most)
	}
	zeros := between(t, rng, 10, 8, 0, 0)
	if _, err := zeros.Short(Shortening{}, make([]byte, zeros.ShortBytes()), 1); err == nil {
		t.Error("a shortening of no range is taken")
	}
	shortOf(t, zeros, zeros.Shortening())
}
