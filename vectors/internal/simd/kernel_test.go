package simd

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// dims are every length up to 130 and the tails of some long ones.
func dims() (list []int) {
	for d := 1; d <= 130; d++ {
		list = append(list, d)
	}
	return append(list, 255, 256, 257, 384, 500, 784, 1000, 1024, 4097)
}

// floatRow fills a row with float32: ordinary values, zeros of both signs,
// denormals, and pairs that nearly cancel.
func floatRow(rng *rand.Rand, row []byte) {
	for i := 0; i+4 <= len(row); i += 4 {
		x := float32(rng.NormFloat64())
		switch rng.IntN(12) {
		case 0:
			x = 0
		case 1:
			x = float32(math.Copysign(0, -1))
		case 2:
			x *= 1e-42
		case 3:
			x *= 1e15
		}
		binary.LittleEndian.PutUint32(row[i:], math.Float32bits(x))
	}
}

func halfRow(rng *rand.Rand, row []byte) {
	for i := 0; i+2 <= len(row); i += 2 {
		h := uint16(rng.Uint32())
		if h>>10&31 == 31 { // no infinities
			h &^= 1 << 14
		}
		binary.LittleEndian.PutUint16(row[i:], h)
	}
}

func byteRow(rng *rand.Rand, row []byte) {
	extreme := rng.IntN(3) == 0
	for i := range row {
		row[i] = byte(rng.Uint32())
		if extreme {
			row[i] = []byte{0, 255, 127, 128}[rng.IntN(4)]
		}
	}
}

type intKernel struct {
	name string
	of   func(*Kernel) Ints
}

type floatKernel struct {
	name         string
	of           func(*Kernel) Floats
	xSize, size  int
	fillX, fillY func(*rand.Rand, []byte)
}

var intKernels = []intKernel{
	{"SquaredU8", func(k *Kernel) Ints { return k.SquaredU8 }},
	{"DotU8", func(k *Kernel) Ints { return k.DotU8 }},
	{"SquaredI8", func(k *Kernel) Ints { return k.SquaredI8 }},
	{"DotI8", func(k *Kernel) Ints { return k.DotI8 }},
}

var floatKernels = []floatKernel{
	{"SquaredF32", func(k *Kernel) Floats { return k.SquaredF32 }, 4, 4, floatRow, floatRow},
	{"DotF32", func(k *Kernel) Floats { return k.DotF32 }, 4, 4, floatRow, floatRow},
	{"SquaredF16", func(k *Kernel) Floats { return k.SquaredF16 }, 2, 2, halfRow, halfRow},
	{"DotF16", func(k *Kernel) Floats { return k.DotF16 }, 2, 2, halfRow, halfRow},
	{"DotF32F16", func(k *Kernel) Floats { return k.DotF32F16 }, 4, 2, floatRow, halfRow},
	{"DotF32U8", func(k *Kernel) Floats { return k.DotF32U8 }, 4, 1, floatRow, byteRow},
	{"DotF32I8", func(k *Kernel) Floats { return k.DotF32I8 }, 4, 1, floatRow, byteRow},
}

// mostIDs is how many ids a kernel is given at most.
const mostIDs = 17

// someIDs is a list of m ids below n, with repetitions, at the end of room: a kernel that reads behind it faults
// where room ends at a fence.
func someIDs(rng *rand.Rand, room []uint32, m, n int) []uint32 {
	ids := room[len(room)-m:]
	for i := range ids {
		ids[i] = rng.Uint32N(uint32(n))
	}
	return ids
}

const guard = 0xABCDEF

func TestIntKernelsEqualTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	twin, room := Portable(), fencedWords[uint32](t, mostIDs)
	for _, k := range kernels() {
		for _, c := range intKernels {
			for _, dim := range dims() {
				rows := 7
				stride := dim + rng.IntN(5)
				x, base := fenced(t, dim), fenced(t, (rows-1)*stride+dim)
				byteRow(rng, x)
				byteRow(rng, base)
				for m := range mostIDs + 1 {
					ids := someIDs(rng, room, m, rows)
					got, want := make([]uint32, m+1), make([]uint32, m+1)
					got[m], want[m] = guard, guard
					c.of(k)(x, base, stride, dim, ids, got)
					c.of(twin)(x, base, stride, dim, ids, want)
					for j := range want {
						if got[j] != want[j] {
							t.Fatalf("%s %s dim %d: out[%d] = %d, want %d", k.Name, c.name, dim, j, got[j], want[j])
						}
					}
				}
			}
		}
	}
}

func TestFloatKernelsEqualTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	twin, room := Portable(), fencedWords[uint32](t, mostIDs)
	for _, k := range kernels() {
		for _, c := range floatKernels {
			for _, dim := range dims() {
				rows := 7
				stride := (dim + rng.IntN(3)) * c.size
				x, base := fenced(t, dim*c.xSize), fenced(t, (rows-1)*stride+dim*c.size)
				c.fillX(rng, x)
				c.fillY(rng, base)
				for m := range mostIDs + 1 {
					ids := someIDs(rng, room, m, rows)
					got, want := make([]float64, m+1), make([]float64, m+1)
					got[m], want[m] = guard, guard
					c.of(k)(x, base, stride, dim, ids, got)
					c.of(twin)(x, base, stride, dim, ids, want)
					for j := range want {
						if math.Float64bits(got[j]) != math.Float64bits(want[j]) {
							t.Fatalf("%s %s dim %d: out[%d] = %v, want %v", k.Name, c.name, dim, j, got[j], want[j])
						}
					}
				}
			}
		}
	}
}

func TestLongestIntegerRows(t *testing.T) {
	const dim = 65536
	zero, full := make([]byte, dim), make([]byte, dim)
	for i := range full {
		full[i] = 255
	}
	low, high := make([]byte, dim), make([]byte, dim)
	for i := range low {
		low[i], high[i] = 128, 127 // -128 and 127 as int8
	}
	for _, k := range kernels() {
		var out [1]uint32
		k.SquaredU8(zero, full, 0, dim, []uint32{0}, out[:])
		if out[0] != dim*255*255 {
			t.Errorf("%s: squared uint8 %d", k.Name, out[0])
		}
		k.DotU8(full, full, 0, dim, []uint32{0}, out[:])
		if out[0] != dim*255*255 {
			t.Errorf("%s: dot uint8 %d", k.Name, out[0])
		}
		k.SquaredI8(low, high, 0, dim, []uint32{0}, out[:])
		if out[0] != dim*255*255 {
			t.Errorf("%s: squared int8 %d", k.Name, out[0])
		}
		k.DotI8(low, high, 0, dim, []uint32{0}, out[:])
		if want := -dim * 128 * 127; int32(out[0]) != int32(want) {
			t.Errorf("%s: dot int8 %d, want %d", k.Name, int32(out[0]), want)
		}
	}
}

func TestChooseNamesWhatThereIs(t *testing.T) {
	if _, err := choose("mmx"); err == nil {
		t.Fatal("a kernel that does not exist was chosen")
	}
	if k, err := choose("go"); err != nil || k.Name != "go" {
		t.Fatalf("go: %v %v", k, err)
	}
}

// Rows of a leaf of 250, against one of them: what leaf solving does.
func BenchmarkKernels(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, k := range kernels() {
		for _, dim := range []int{12, 100, 128, 384, 784, 1024} {
			ids := make([]uint32, 250)
			for i := range ids {
				ids[i] = uint32(i)
			}
			for _, c := range intKernels[:1] {
				base := make([]byte, len(ids)*dim)
				byteRow(rng, base)
				out := make([]uint32, len(ids))
				bench(b, k.Name+"/"+c.name, dim, len(ids), func() { c.of(k)(base, base, dim, dim, ids, out) })
			}
			for _, c := range floatKernels[:4] {
				base := make([]byte, len(ids)*dim*c.size)
				c.fillY(rng, base)
				out := make([]float64, len(ids))
				bench(b, k.Name+"/"+c.name, dim, len(ids), func() { c.of(k)(base, base, dim*c.size, dim, ids, out) })
			}
		}
	}
}

func bench(b *testing.B, name string, dim, rows int, f func()) {
	b.Run(name+"/"+strconv.Itoa(dim), func(b *testing.B) {
		for b.Loop() {
			f()
		}
		ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(rows)
		b.ReportMetric(ns, "ns/pair")
		b.ReportMetric(float64(dim)/ns, "Gelem/s")
	})
}
