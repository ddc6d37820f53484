package simd

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// floatRows returns n rows of dim float32, each ending at a fence, and their
// values.
func floatRows(t *testing.T, rng *rand.Rand, n, dim int) (raw [][]byte, values [][]float32) {
	for range n {
		row := fenced(t, 4*dim)
		x := make([]float32, dim)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
			binary.LittleEndian.PutUint32(row[4*i:], math.Float32bits(x[i]))
		}
		raw, values = append(raw, row), append(values, x)
	}
	return raw, values
}

// TestProductsAreClose: within dim roundings of the sum of magnitudes.
func TestProductsAreClose(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, k := range kernels() {
		for _, dim := range []int{1, 2, 15, 16, 17, 31, 33, 100, 384, 785} {
			columns, y := floatRows(t, rng, 1+rng.IntN(140), dim)
			rows, x := floatRows(t, rng, 8, dim)
			panels := (len(columns) + 15) / 16
			data := fenced(t, panels*PanelBytes(dim))
			for p := range panels {
				var packing [16]*byte
				for j := range packing {
					packing[j] = unsafe.SliceData(columns[min(16*p+j, len(columns)-1)])
				}
				k.Products.Pack(&packing, dim, data[p*PanelBytes(dim):(p+1)*PanelBytes(dim)])
			}
			var band [8]*byte
			for r := range band {
				band[r] = unsafe.SliceData(rows[r])
			}
			ldc := 16 * panels
			c := make([]float32, 8*ldc)
			k.Products.Products(&band, dim, data, c, ldc)
			for r := range rows {
				for j := range columns {
					var want, size float64
					for i := range dim {
						product := float64(x[r][i]) * float64(y[j][i])
						want += product
						size += math.Abs(product)
					}
					if got := float64(c[r*ldc+j]); math.Abs(got-want) > size*float64(dim+1)/(1<<24) {
						t.Fatalf("%s: dim %d, row %d, column %d of %d: %v, want %v", k.Name, dim, r, j, len(columns), got, want)
					}
				}
			}
		}
	}
}

func TestReaching(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	value := func() float32 {
		switch rng.IntN(30) {
		case 0:
			return float32(math.NaN())
		case 1:
			return float32(math.Inf(-1))
		}
		return float32(rng.IntN(40) - 20)
	}
	for _, k := range kernels() {
		for n := range 100 {
			wide := (n + 15) / 16 * 16
			c, halves, leasts := make([]float32, wide), make([]float32, wide), make([]float32, wide)
			for j := range wide {
				c[j], halves[j], leasts[j] = value(), value(), value()+20
			}
			half, least := value(), value()+20
			want := make([]uint32, n)
			want = want[:reachingGo(c[:n], halves, leasts, half, least, want)]
			got := make([]uint32, n+16)
			got = got[:k.Products.Reaching(c[:n], halves, leasts, half, least, got)]
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %d columns: %v, want %v", k.Name, n, got, want)
			}
		}
	}
}

// TestHalves: every float16 there is, in lengths that are no multiple of a
// vector.
func TestHalves(t *testing.T) {
	for _, k := range kernels() {
		for _, n := range []int{1, 15, 16, 17, 31, 1 << 16} {
			src := fenced(t, 2*n)
			for i := range n {
				binary.LittleEndian.PutUint16(src[2*i:], uint16(i))
			}
			got, want := make([]float32, n), make([]float32, n)
			k.Products.Halves(got, src)
			halvesGo(want, src)
			for i := range got {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) && !(got[i] != got[i] && want[i] != want[i]) {
					t.Fatalf("%s: %04x is %v, want %v", k.Name, i, got[i], want[i])
				}
			}
		}
	}
}

func BenchmarkProducts(b *testing.B) {
	for _, k := range kernels() {
		for _, dim := range []int{128, 384, 784} {
			const n = 336
			size := PanelBytes(dim)
			panels, row := make([]byte, n/16*size), make([]byte, 8*4*dim)
			var band [8]*byte
			for r := range band {
				band[r] = &row[r*4*dim]
			}
			c := make([]float32, 8*n)
			bench(b, k.Name+"/products", dim, 8*n, func() { k.Products.Products(&band, dim, panels, c, n) })
		}
	}
}
