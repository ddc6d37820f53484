package codes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/vectors/internal/simd"
)

// TestNarrow: tiles tell the same distances where codes are narrow, and so they do with columns
// and rows that are not, and with rows of another matrix.
func TestNarrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 43))
	const n, dim = 3 * beyondShare, 96
	m := between(t, rng, n, dim, 83, 173)
	for i := range n {
		for j := range 32 {
			m.row(i)[j] = byte(rng.Uint32())
			m.row(i)[32+j] = byte(64 + rng.IntN(128))
		}
	}
	m.row(5)[90], m.row(6)[50] = 82, 192 // beyond
	kernel, err := simd.Choose()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.addUp(kernel, 2); err != nil {
		t.Fatal(err)
	}
	plain := *m
	if err := m.Narrow(2); err != nil {
		t.Fatal(err)
	}
	if m.narrow == nil {
		t.Skip("this kernel multiplies narrow codes no faster")
	}
	if of := m.narrowing(mustNeed(t, &plain)); of.Wide != 8 || of.Pairs != 16 || of.Groups != 24 {
		t.Errorf("narrowing is %+v", of)
	}
	for i := range uint32(n) {
		if beyond := m.narrow.anyBeyond([]uint32{i}); beyond != (i == 5 || i == 6) {
			t.Fatalf("whether row %d is beyond is told as %v", i, beyond)
		}
	}
	other := plain.Some([]uint32{5, 9, 6})
	if other.narrow != nil || m.Some([]uint32{9}).narrow != nil {
		t.Error("some rows are narrow by the numbers of others")
	}
	tile, wide := m.NewTile(), plain.NewTile()
	for range 40 {
		columns, band := draw(rng, 1+rng.IntN(100), n), draw(rng, 1+rng.IntN(BandRows), n)
		if rng.IntN(4) == 0 {
			columns[0] = 5
		}
		if rng.IntN(4) == 0 {
			band[0] = 6
		}
		tile.Columns(columns, nil)
		wide.Columns(columns, nil)
		compare := func(name string) {
			t.Helper()
			if same(tile, wide) {
				return
			}
			t.Fatalf("%s: %d columns, rows %v: distances differ", name, len(columns), band)
		}
		rows := tile.Band(0, len(columns), len(columns))
		if rows != wide.Band(0, len(columns), len(columns)) {
			t.Fatal("bands differ")
		}
		compare("band")
		checkNarrowPairs(t, rng, tile, wide, band, len(columns))
		tile.Rows(band, len(columns))
		wide.Rows(band, len(columns))
		compare("rows")
		if rng.IntN(2) == 0 {
			tile.RowsOf(other, []uint32{0, 1, 2}, len(columns))
			wide.RowsOf(other, []uint32{0, 1, 2}, len(columns))
			compare("rows of another matrix")
		}
	}
}

// same reports whether all distances of two tiles are.
func same(a, b *Tile) bool {
	for r := range a.rows {
		x, _ := a.Within(r, ^uint32(0))
		y, _ := b.Within(r, ^uint32(0))
		if !slices.Equal(x, y) || len(x) == 0 {
			return false
		}
	}
	return true
}

func checkNarrowPairs(t *testing.T, rng *rand.Rand, a, b *Tile, band []uint32, columns int) {
	t.Helper()
	bounds, either := make([]uint32, len(band)), make([]uint32, columns+15)
	for i := range either {
		either[i] = rng.Uint32N(1 << 18)
	}
	a.Pairs(band, columns, bounds, either)
	b.Pairs(band, columns, bounds, either)
	for r := range band {
		near, distances := a.Marked(r, columns)
		wantNear, wantDistances := b.Marked(r, columns)
		if !slices.Equal(near, wantNear) {
			t.Fatalf("near row %d are %v, want %v", band[r], near, wantNear)
		}
		for _, j := range near {
			if distances[j] != wantDistances[j] {
				t.Fatalf("distance of row %d and column %d is %d, want %d", band[r], j, distances[j], wantDistances[j])
			}
		}
	}
}

func draw(rng *rand.Rand, count, n int) []uint32 {
	places := make([]uint32, count)
	for i := range places {
		places[i] = 7 + uint32(rng.IntN(n-7))
	}
	return places
}

func mustNeed(t *testing.T, m *Matrix) []uint32 {
	needs, err := m.needs(2)
	if err != nil {
		t.Fatal(err)
	}
	return needs
}
