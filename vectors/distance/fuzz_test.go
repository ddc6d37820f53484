package distance

import (
	"testing"

	"github.com/knng/knng/vectors"
)

// FuzzPackedBits: whatever bytes rows of packed bits have, one at a time and many at once, their
// distances are those that are counted bit by bit, the same from both sides, and 0 from a row
// to itself.
func FuzzPackedBits(f *testing.F) {
	f.Add([]byte{0, 0}, uint8(1))
	f.Add([]byte{0xff, 0x01, 0x80, 0x00, 0x7f, 0xff}, uint8(3))
	f.Add(make([]byte, 51), uint8(17))
	f.Fuzz(func(t *testing.T, data []byte, width uint8) {
		dim := int(width)
		if dim == 0 || len(data) < dim {
			return
		}
		n := len(data) / dim
		ids, keys := make([]uint32, n), make([]float32, n)
		for i := range ids {
			ids[i] = uint32(i)
		}
		for _, m := range []Metric{Hamming, Jaccard} {
			s, err := New(m, vectors.Uint8, dim)
			if err != nil {
				t.Fatal(err)
			}
			x := data[:dim]
			s.Keys(x, 0, data, dim, nil, ids, keys)
			for i, got := range keys {
				y := data[i*dim:][:dim]
				if want := literalSets(m, x, y); got != want || i == 0 && got != 0 {
					t.Fatalf("%v of %x and %x is %v, want %v", m, x, y, got, want)
				}
				var back [1]float32
				if s.Keys(y, 0, data, dim, nil, ids[:1], back[:]); back[0] != got {
					t.Fatalf("%v of %x and %x is %v, and %v from the other side", m, x, y, got, back[0])
				}
			}
		}
	})
}
