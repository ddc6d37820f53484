package simd

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// TestApart: sums and maxima of absolute differences are those of their definitions, to the bit,
// whatever the dimension, the stride and the values, denormal ones and overflow among them.
func TestApart(t *testing.T) {
	rng, room := rand.New(rand.NewPCG(3, 6)), fencedWords[uint32](t, mostIDs)
	for _, k := range kernels() {
		if k.AbsoluteF32 == nil || k.LargestF32 == nil {
			if k.AbsoluteF32 != nil || k.LargestF32 != nil {
				t.Errorf("%s has one of two", k.Name)
			}
			continue
		}
		for dim := 1; dim <= 100; dim++ {
			const n = 9
			stride := 4 * (dim + rng.IntN(3))
			x, base := fenced(t, 4*dim), fenced(t, (n-1)*stride+4*dim)
			fillFloats(rng, x)
			fillFloats(rng, base)
			ids := someIDs(rng, room, 1+dim%mostIDs, n)
			sums, most := make([]float64, len(ids)), make([]float64, len(ids))
			k.AbsoluteF32(x, base, stride, dim, ids, sums)
			k.LargestF32(x, base, stride, dim, ids, most)
			for j, id := range ids {
				sum, largest := literallyApart(x, base[int(id)*stride:], dim)
				if sums[j] != sum || most[j] != largest {
					t.Fatalf("%s, %d elements: sum %v, largest %v, want %v and %v", k.Name, dim, sums[j], most[j], sum, largest)
				}
			}
		}
	}
}

// fillFloats sets float32 elements of all sizes.
func fillFloats(rng *rand.Rand, row []byte) {
	for i := 0; i < len(row); i += 4 {
		x := float32(rng.NormFloat64() * math.Pow(2, float64(rng.IntN(60)-30)))
		switch rng.IntN(40) {
		case 0:
			x = math.MaxFloat32
		case 1:
			x = -math.MaxFloat32
		case 2:
			x = math.SmallestNonzeroFloat32
		}
		binary.LittleEndian.PutUint32(row[i:], math.Float32bits(x))
	}
}

func literallyApart(x, row []byte, dim int) (sum, largest float64) {
	var lane [16]float64
	var a, b [1]float32
	for i := range dim {
		float32s(a[:], x, i)
		float32s(b[:], row, i)
		apart := math.Abs(float64(a[0] - b[0]))
		lane[i%16] += apart
		largest = max(largest, apart)
	}
	return inHalves(lane), largest
}
