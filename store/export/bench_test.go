package export

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// BenchmarkExport writes a graph of 5,000 rows, k = 20, in every format; a byte is one of
// the lists' rows and keys.
func BenchmarkExport(b *testing.B) {
	const n, k = 5000, 20
	rng := rand.New(rand.NewPCG(1, 1))
	g := &graph{k: k, lists: make([][]uint32, n), keys: make([][]float32, n)}
	for row := range n {
		for i := range k {
			g.lists[row] = append(g.lists[row], uint32((row+1+i+rng.IntN(3)*k)%n))
			g.keys[row] = append(g.keys[row], float32(i)+rng.Float32())
		}
	}
	for _, f := range Formats {
		if f == IDs { // of which this graph has none
			continue
		}
		b.Run(string(f), func(b *testing.B) {
			o := Options{Format: f, Force: true}
			if f == METIS {
				o.Symmetric = Union
			}
			path := filepath.Join(b.TempDir(), "g.ibin")
			b.SetBytes(8 * n * k)
			for b.Loop() {
				if err := Export(g, path, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
