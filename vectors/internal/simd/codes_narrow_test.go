package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// narrowRowsOf returns n rows, each ending at a fence, that are as narrow as they must be: at
// random, or with the least and the largest codes alone, whose sums are the largest.
func narrowRowsOf(t *testing.T, rng *rand.Rand, n int, of Narrowing) [][]byte {
	rows := codeRows(t, rng, n, of.Groups)
	for _, row := range rows {
		kind := rng.IntN(4)
		for i := range row {
			least, most := 0, 255
			switch g := i / 4; {
			case g >= of.Pairs:
				least, most = FoursLeast, 256-FoursLeast
			case g >= of.Wide:
				least, most = PairsLeast, 255-PairsLeast
			}
			switch kind {
			case 0:
				row[i] = byte(least)
			case 1:
				row[i] = byte(most)
			case 2:
				row[i] = byte([]int{least, most}[rng.IntN(2)])
			default:
				row[i] = byte(least + rng.IntN(most-least+1))
			}
		}
	}
	return rows
}

// lacking is what sums of narrow codes with a column lack.
func (n Narrowing) lacking(column []byte) (sum uint32) {
	for i, y := range column[4*n.Wide:] {
		less := uint32(PairsLeast)
		if i >= 4*(n.Pairs-n.Wide) {
			less = FoursLeast
		}
		sum += less * (uint32(y) - 128)
	}
	return sum
}

var narrowings = []Narrowing{
	{0, 8, 8}, {0, 0, 8}, {0, 8, 16}, {8, 16, 16}, {8, 8, 16}, {8, 16, 24}, {16, 32, 56}, {16, 16, 64}, {24, 64, 64}, {0, 120, 256}, {40, 48, 128},
}

// TestNarrowCodes: sums of narrow codes, and what they lack, tell the distances, and pairs which of
// them are near.
func TestNarrowCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 43))
	for _, kernel := range append(kernels(), variants()...) {
		for _, n := range narrowings {
			k := kernel.Codes.OfNarrow(n)
			if k == nil {
				continue
			}
			if k.PanelBytes(n.Groups) > kernel.Codes.PanelBytes(n.Groups) || k.RoomBytes(n.Groups) > kernel.Codes.RoomBytes(n.Groups) {
				t.Errorf("%s: panels of %+v take %d bytes and room %d, more than others do", kernel.Name, n, k.PanelBytes(n.Groups), k.RoomBytes(n.Groups))
			}
			columns, rows := narrowRowsOf(t, rng, 1+rng.IntN(140), n), narrowRowsOf(t, rng, 1+rng.IntN(16), n)
			data, norms := packedColumns(t, k, columns, n.Groups)
			for j, column := range columns {
				norms[j] -= 2 * n.lacking(column)
			}
			band, adds := bandOf(rows)
			ld := len(norms)
			c := make([]int32, 16*ld)
			k.Dots(band, len(rows), n.Groups, data, c, ld, fenced(t, k.RoomBytes(n.Groups)))
			for r := range rows {
				for j := range columns {
					got := adds[r] + norms[j] - 2*uint32(c[r*ld+j])
					if want := squared(rows[r], columns[j]); got != want {
						t.Fatalf("%s: %+v, row %d, column %d of %d: %d, want %d", kernel.Name, n, r, j, len(columns), got, want)
					}
				}
			}
			checkNarrowPairs(t, rng, kernel.Name, k, n, band, adds, data, norms, rows, columns)
		}
	}
}

func checkNarrowPairs(t *testing.T, rng *rand.Rand, name string, k *Codes, n Narrowing, band *[16]*byte, adds []uint32, data []byte, norms []uint32, rows, columns [][]byte) {
	ld := len(norms)
	words := (ld + 63) / 64
	bounds, either := fencedWords[uint32](t, 16), fencedWords[uint32](t, ld)
	for _, limits := range [][]uint32{bounds, either} {
		for i := range limits {
			limits[i] = randomDistance(rng)
			if rng.IntN(2) == 0 {
				limits[i] = squared(rows[rng.IntN(len(rows))], columns[rng.IntN(len(columns))])
			}
		}
	}
	d, marks := fencedWords[uint32](t, 16*ld), fencedWords[uint64](t, 16*words)
	k.Pairs(band, len(rows), n.Groups, data, norms, adds, bounds, either, d, ld, marks, words, fenced(t, k.RoomBytes(n.Groups)))
	for r := range rows {
		for j := range columns {
			want := squared(rows[r], columns[j])
			near := marks[r*words+j/64]>>(j%64)&1 != 0
			if d[r*ld+j] != want || near != (want <= max(bounds[r], either[j])) {
				t.Fatalf("%s: %+v, row %d, column %d of %d: %d within %d or %d: %v, and it is %d", name, n, r, j, len(columns), d[r*ld+j], bounds[r], either[j], near, want)
			}
		}
	}
}

// TestLongestNarrowCodes: the largest sums there are do not overflow.
func TestLongestNarrowCodes(t *testing.T) {
	const groups = 65536 / 4
	for _, kernel := range append(kernels(), variants()...) {
		for _, n := range []Narrowing{{0, groups, groups}, {0, 0, groups}, {8, groups / 2, groups}} {
			k := kernel.Codes.OfNarrow(n)
			if k == nil {
				continue
			}
			least, most := make([]byte, 4*groups), slices.Repeat([]byte{255}, 4*groups)
			for i := 4 * n.Wide; i < 4*groups; i++ {
				least[i], most[i] = PairsLeast, 255-PairsLeast
				if i >= 4*n.Pairs {
					least[i], most[i] = FoursLeast, 256-FoursLeast
				}
			}
			rows := [][]byte{least, most}
			data, norms := packedColumns(t, k, rows, groups)
			for j, row := range rows {
				norms[j] -= 2 * n.lacking(row)
			}
			band, adds := bandOf(rows)
			c := make([]int32, 16*len(norms))
			k.Dots(band, 16, groups, data, c, len(norms), fenced(t, k.RoomBytes(groups)))
			for r := range 16 {
				for j := range rows {
					if got, want := adds[r]+norms[j]-2*uint32(c[r*len(norms)+j]), squared(rows[r%2], rows[j]); got != want {
						t.Errorf("%s: %+v, row %d, column %d: %d, want %d", kernel.Name, n, r, j, got, want)
					}
				}
			}
		}
	}
}

// A leaf of 480 rows, as BenchmarkCodes has it, of codes that are narrow in some groups.
func BenchmarkNarrowCodes(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 44))
	for _, k := range append(kernels(), variants()...) {
		for _, n := range []Narrowing{{16, 16, 56}, {16, 32, 56}, {16, 56, 56}, {32, 48, 56}} {
			narrow, wide := k.Codes.OfNarrow(n), k.Codes
			if narrow == nil {
				continue
			}
			data := make([]byte, 480*4*n.Groups)
			byteRow(rng, data)
			for name, c := range map[string]*Codes{"wide": wide, "narrow": narrow} {
				dots := leafOf(c, data, n.Groups)
				bench(b, fmt.Sprintf("%s/%+v/%s", k.Name, n, name), 4*n.Groups, 16*480, dots)
			}
		}
	}
}

// leafOf packs the rows, and returns what multiplies the first 16 of them with all.
func leafOf(c *Codes, data []byte, groups int) (dots func()) {
	n, size := len(data)/(4*groups), c.PanelBytes(groups)
	panels, room, sums := make([]byte, n/16*size), make([]byte, c.RoomBytes(groups)), make([]int32, 16*n)
	var band [16]*byte
	for p := range n / 16 {
		for j := range band {
			band[j] = &data[(16*p+j)*4*groups]
		}
		c.Pack(&band, groups, panels[p*size:(p+1)*size])
	}
	return func() { c.Dots(&band, 16, groups, panels, sums, n, room) }
}
