package simd

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestBits: counts of bits are those of their definitions, of every dimension and stride.
func TestBits(t *testing.T) {
	rng, room := rand.New(rand.NewPCG(3, 8)), fencedWords[uint32](t, mostIDs)
	for _, k := range kernels() {
		if k.Differ == nil || k.Both == nil {
			if k.Differ != nil || k.Both != nil {
				t.Errorf("%s has one of two", k.Name)
			}
			continue
		}
		for _, dim := range dims() {
			const n = 9
			stride := dim + rng.IntN(5)
			x, base := fenced(t, dim), fenced(t, (n-1)*stride+dim)
			byteRow(rng, x)
			byteRow(rng, base)
			for m := range mostIDs + 1 {
				ids := someIDs(rng, room, m, n)
				differ, both := make([]uint32, m+1), make([]uint32, m+1)
				differ[m], both[m] = guard, guard
				k.Differ(x, base, stride, dim, ids, differ)
				k.Both(x, base, stride, dim, ids, both)
				for j, id := range ids {
					var apart, shared uint32
					for i, a := range x {
						b := base[int(id)*stride+i]
						apart += uint32(bits.OnesCount8(a ^ b))
						shared += uint32(bits.OnesCount8(a & b))
					}
					if differ[j] != apart || both[j] != shared {
						t.Fatalf("%s, %d bytes: %d differ, %d in both, want %d and %d", k.Name, dim, differ[j], both[j], apart, shared)
					}
				}
				if differ[m] != guard || both[m] != guard {
					t.Fatalf("%s wrote behind the results", k.Name)
				}
			}
		}
	}
}
