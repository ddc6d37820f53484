package leaves

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/rowstest"
)

// TestLeavesAcrossParts: only pairs of different parts are compared, each for both of its rows,
// whatever the lists hold before: the lists are those of comparing every row with the others by
// itself. Elements of few values make ties and equal rows.
func TestLeavesAcrossParts(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	for _, values := range []int{2, 256} {
		const n, dim = 5000, 12
		m := rowstest.Codes(t, rng, n, dim, values)
		k, parts := 1+rng.IntN(40), 1+rng.IntN(4)
		part := make([]uint16, n)
		for place := range part {
			part[place] = uint16(place * 7 % parts)
		}
		got, want := candidates.New(n, k, 2), candidates.New(n, k, 2)
		defer got.Free()
		defer want.Free()
		across, plain := NewTile(m, got), NewTile(m, want)
		for _, size := range []int{n, 4500, 1, 2, 17, 100, 700, 2100, 4097, rng.IntN(n) + 1} {
			leaf := make([]uint32, size)
			for i, p := range rng.Perm(n)[:size] {
				leaf[i] = uint32(p)
			}
			pairs := int64(0)
			for _, place := range slices.Clone(leaf) {
				others := slices.DeleteFunc(slices.Clone(leaf), func(o uint32) bool { return part[o] == part[place] })
				pairs += int64(len(others))
				if len(others) > 0 && (size <= 700 || place%16 == 0) {
					plain.Compare(others, []uint32{place})
				}
			}
			if compared := across.Across(leaf, part); compared != pairs/2 {
				t.Fatalf("seed %d: %d pairs, want %d", seed, compared, pairs/2)
			}
			for p := range uint32(n) {
				if size > 700 && p%16 != 0 {
					continue
				}
				for i := range k {
					if a, b := got.At(p, i), want.At(p, i); a != b {
						t.Fatalf("seed %d: %d values, k %d, %d parts, leaf of %d: entry %d of place %d is %x, want %x", seed, values, k, parts, size, i, p, a, b)
					}
				}
			}
			if size > 700 {
				for p := range uint32(n) {
					want.Set(p, slices.Clone(got.Entries(p)))
				}
			}
		}
	}
}
