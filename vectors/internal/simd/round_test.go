package simd

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// TestRound: every kernel makes the same codes, of any length, whatever is clipped, and
// writes no more than them.
func TestRound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, dim := range dims() {
		bytes := fenced(t, 4*dim)
		floatRow(rng, bytes)
		x := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(bytes))), dim)
		offsets := unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(fenced(t, 8*dim)))), dim)
		for i := range offsets {
			offsets[i] = float64(float32(rng.NormFloat64()))
		}
		norm, perUnit := 1.0, math.Pow(2, float64(rng.IntN(20)-5))*(1+rng.Float64())
		if rng.IntN(2) == 0 {
			norm = 3 * rng.Float64()
		}
		want := make([]byte, dim)
		wantApart := roundGo(x, norm, offsets, perUnit, want)
		for _, k := range kernels() {
			got := fenced(t, dim)
			apart := k.Round(x, norm, offsets, perUnit, got)
			if !slices.Equal(got, want) {
				t.Fatalf("%s, %d elements: codes %v, want %v", k.Name, dim, got, want)
			}
			if math.Abs(apart-wantApart) > 1e-9*wantApart+1e-9 {
				t.Fatalf("%s, %d elements: they are %v apart, want %v", k.Name, dim, apart, wantApart)
			}
		}
	}
}

// TestRoundAtTheEdges: halves go up, and what lies beyond the codes becomes the last.
func TestRoundAtTheEdges(t *testing.T) {
	steps := []float32{0, 0.5, math.Nextafter32(0.5, 0), -0.5, -0.75, 126.4, 126.5, 127, 1e30, -127.9, -128, -128.5, -129, -1e30, math.MaxFloat32}
	want := []byte{128, 129, 128, 128, 127, 254, 255, 255, 255, 0, 0, 0, 0, 0, 255}
	for _, k := range kernels() {
		got := make([]byte, len(steps))
		k.Round(steps, 1, make([]float64, len(steps)), 1, got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", k.Name, got, want)
		}
	}
}

// TestSubtract: every kernel rounds every step, and leaves what lies beside y alone.
func TestSubtract(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	for _, dim := range dims() {
		count := rng.IntN(6)
		y, rows, by := make([]float32, dim), make([]float32, count*dim), make([]float32, count)
		for _, x := range [][]float32{y, rows, by} {
			for i := range x {
				x[i] = float32(rng.NormFloat64())
			}
		}
		want := slices.Clone(y)
		for j, a := range by {
			for i := range want {
				p := a * rows[j*dim+i] // a variable of its own is rounded
				want[i] = float32(want[i] - float32(p))
			}
		}
		for _, k := range kernels() {
			fence := fenced(t, 4*dim)
			got := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(fence))), dim)
			copy(got, y)
			k.Subtract(got, rows, by)
			if !slices.Equal(got, want) {
				t.Fatalf("%s, %d elements less %d rows: %v, want %v", k.Name, dim, count, got, want)
			}
		}
	}
}

func BenchmarkRound(b *testing.B) {
	const dim = 384
	rng := rand.New(rand.NewPCG(1, 9))
	bytes := make([]byte, 4*dim)
	floatRow(rng, bytes)
	x := make([]float32, dim)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	offsets, dst := make([]float64, dim), make([]byte, dim)
	for _, k := range kernels() {
		bench(b, k.Name, dim, 1, func() { k.Round(x, 1, offsets, 40, dst) })
	}
}
