package simd

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// TestMoved: products of rows less their means are those of their definition, to the bit, of every
// kernel, dimension and stride, for values of all sizes.
func TestMoved(t *testing.T) {
	rng, room := rand.New(rand.NewPCG(3, 7)), fencedWords[uint32](t, mostIDs)
	for _, k := range kernels() {
		for _, dim := range dims() {
			const n = 9
			stride := 4 * (dim + rng.IntN(3))
			x, base := fenced(t, 8*((dim+15)/16*16)), fenced(t, (n-1)*stride+4*dim)
			clear(x)
			for i := range dim {
				binary.LittleEndian.PutUint64(x[8*i:], math.Float64bits(rng.NormFloat64()))
			}
			floatRow(rng, base)
			for m := range mostIDs + 1 {
				ids := someIDs(rng, room, m, n)
				out := make([]float64, m+1)
				out[m] = guard
				k.MovedF32(x, base, stride, dim, ids, out)
				for j, id := range ids {
					if want := literallyMoved(x, base[int(id)*stride:], dim); math.Float64bits(out[j]) != math.Float64bits(want) {
						t.Fatalf("%s, %d elements: %v, want %v", k.Name, dim, out[j], want)
					}
				}
				if out[m] != guard {
					t.Fatalf("%s wrote behind the results", k.Name)
				}
			}
		}
	}
}

func literallyMoved(x, row []byte, dim int) float64 {
	element := func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(row[4*i:]))) }
	var plain, lane [16]float64
	for i := range dim {
		plain[i%16] += element(i)
	}
	mean := inHalves(plain) / float64(dim)
	for i := range dim {
		lane[i%16] += float64(math.Float64frombits(binary.LittleEndian.Uint64(x[8*i:])) * (element(i) - mean))
	}
	return inHalves(lane)
}

func inHalves(lane [16]float64) float64 {
	for w := 8; w >= 1; w /= 2 {
		for j := range w {
			lane[j] += lane[j+w]
		}
	}
	return lane[0]
}
