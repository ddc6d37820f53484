package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// shortRows returns n rows of 4*groups short codes, each ending at a fence: at random, or all
// of them the least or the largest, whose sums are the largest.
func shortRows(t *testing.T, rng *rand.Rand, n, groups int) [][]byte {
	rows := codeRows(t, rng, n, groups)
	for _, row := range rows {
		kind := rng.IntN(4)
		for i, x := range row {
			switch kind {
			case 0:
				row[i] = 0
			case 1:
				row[i] = ShortCodes - 1
			default:
				row[i] = x % ShortCodes
			}
		}
	}
	return rows
}

// shortBand is bandOf by a table's zero.
func shortBand(k *Codes, rows [][]byte) (band *[16]*byte, adds []uint32) {
	band, adds = new([16]*byte), make([]uint32, 16)
	for r := range band {
		row := rows[r%len(rows)]
		band[r] = unsafe.SliceData(row)
		for _, x := range row {
			adds[r] += uint32(x)*uint32(x) - 2*k.Zero()*uint32(x)
		}
	}
	return band, adds
}

// shortGroups are numbers of groups about the blocks that sums of words are made of.
var shortGroups = []int{1, 2, 7, 8, 9, 15, 16, 17, 24, 25, 31, 32, 33, 96, 196, 250}

// TestShortCodes: sums of short codes tell their distances, and pairs which of them are near.
func TestShortCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 41))
	for _, kernel := range append(kernels(), variants()...) {
		k := kernel.Codes.OfShort()
		for _, groups := range shortGroups {
			columns, rows := shortRows(t, rng, 1+rng.IntN(140), groups), shortRows(t, rng, 1+rng.IntN(16), groups)
			data, norms := packedColumns(t, k, columns, groups)
			band, adds := shortBand(k, rows)
			ld := len(norms)
			c := make([]int32, 16*ld)
			k.Dots(band, len(rows), groups, data, c, ld, fenced(t, k.RoomBytes(groups)))
			for r := range rows {
				for j := range columns {
					got := adds[r] + norms[j] - 2*uint32(c[r*ld+j])
					if want := squared(rows[r], columns[j]); got != want {
						t.Fatalf("%s: %d groups, row %d, column %d of %d: %d, want %d", kernel.Name, groups, r, j, len(columns), got, want)
					}
				}
			}
			if k.Pairs != nil {
				checkShortPairs(t, rng, kernel.Name, k, rows, columns, groups)
			}
		}
	}
}

func checkShortPairs(t *testing.T, rng *rand.Rand, name string, k *Codes, rows, columns [][]byte, groups int) {
	data, norms := packedColumns(t, k, columns, groups)
	band, adds := shortBand(k, rows)
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
	k.Pairs(band, len(rows), groups, data, norms, adds, bounds, either, d, ld, marks, words, fenced(t, k.RoomBytes(groups)))
	for r := range rows {
		for j := range columns {
			want := squared(rows[r], columns[j])
			near := marks[r*words+j/64]>>(j%64)&1 != 0
			if d[r*ld+j] != want || near != (want <= max(bounds[r], either[j])) {
				t.Fatalf("%s: %d groups, row %d, column %d of %d: %d within %d or %d: %v, and it is %d", name, groups, r, j, len(columns), d[r*ld+j], bounds[r], either[j], near, want)
			}
		}
	}
}

// TestLongestShortCodes: the largest sums there are do not overflow.
func TestLongestShortCodes(t *testing.T) {
	const groups = 65536 / 4
	zero, full := make([]byte, 4*groups), slices.Repeat([]byte{ShortCodes - 1}, 4*groups)
	for _, kernel := range append(kernels(), variants()...) {
		k := kernel.Codes.OfShort()
		rows := [][]byte{zero, full}
		data, norms := packedColumns(t, k, rows, groups)
		band, adds := shortBand(k, rows)
		c := make([]int32, 16*len(norms))
		k.Dots(band, 16, groups, data, c, len(norms), fenced(t, k.RoomBytes(groups)))
		for r := range 16 {
			for j := range rows {
				if got, want := adds[r]+norms[j]-2*uint32(c[r*len(norms)+j]), squared(rows[r%2], rows[j]); got != want {
					t.Errorf("%s: row %d, column %d: %d, want %d", kernel.Name, r, j, got, want)
				}
			}
		}
	}
}
