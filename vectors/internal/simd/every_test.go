package simd

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestEveryKernelIsMeasured holds the table of BenchmarkEvery to the functions that a kernel has.
func TestEveryKernelIsMeasured(t *testing.T) {
	var want, got []string
	for _, table := range []any{Kernel{}, Codes{}, Products{}} {
		for field := range reflect.TypeOf(table).Fields() {
			if field.Type.Kind() == reflect.Func && field.IsExported() {
				want = append(want, reflect.TypeOf(table).Name()+"."+field.Name)
			}
		}
	}
	for name := range everyOf(Portable()) {
		got = append(got, name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("measured are %q, kernels have %q", got, want)
	}
}

// BenchmarkEvery measures each function of each kernel once: rows of 384 elements, 480 columns,
// 16 rows, of which few columns count.
func BenchmarkEvery(b *testing.B) {
	for _, k := range kernels() {
		every := everyOf(k)
		if short := k.Codes.OfShort(); short != k.Codes {
			for name, f := range codesOf(short) {
				every["Short"+name] = f
			}
		}
		if narrow := k.Codes.OfNarrow(Narrowing{Wide: 32, Pairs: 64, Groups: everyDim / 4}); narrow != nil {
			for name, f := range codesOf(narrow) {
				every["Narrow"+name] = f
			}
		}
		var names []string
		for name := range every {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if every[name] != nil {
				b.Run(k.Name+"/"+name, func(b *testing.B) {
					for b.Loop() {
						every[name]()
					}
				})
			}
		}
	}
}

const everyDim, everyColumns, everyRows = 384, 480, 16

// everyOf makes a call of every function of a kernel's, by table and field; nil where the
// kernel has none.
func everyOf(k *Kernel) map[string]func() {
	every := codesOf(k.Codes)
	for name, f := range productsOf(k.Products) {
		every[name] = f
	}
	rng := rand.New(rand.NewPCG(1, 11))
	ids := make([]uint32, everyColumns)
	for i := range ids {
		ids[i] = uint32(i)
	}
	bits := []intKernel{{"Differ", func(k *Kernel) Ints { return k.Differ }}, {"Both", func(k *Kernel) Ints { return k.Both }}}
	for _, c := range slices.Concat(intKernels, bits) {
		if c.of(k) == nil {
			every["Kernel."+c.name] = nil
			continue
		}
		base, out := make([]byte, everyColumns*everyDim), make([]uint32, everyColumns)
		byteRow(rng, base)
		every["Kernel."+c.name] = func() { c.of(k)(base, base, everyDim, everyDim, ids, out) }
	}
	apart := []floatKernel{
		{"AbsoluteF32", func(k *Kernel) Floats { return k.AbsoluteF32 }, 4, 4, floatRow, floatRow},
		{"LargestF32", func(k *Kernel) Floats { return k.LargestF32 }, 4, 4, floatRow, floatRow},
	}
	for _, c := range slices.Concat(floatKernels, apart) {
		if f := c.of(k); f != nil {
			x, base, out := make([]byte, everyDim*4), make([]byte, everyColumns*everyDim*c.size), make([]float64, everyColumns)
			c.fillX(rng, x)
			c.fillY(rng, base)
			every["Kernel."+c.name] = func() { f(x, base, everyDim*c.size, everyDim, ids, out) }
		} else {
			every["Kernel."+c.name] = nil
		}
	}
	moved, rowsMoved, products := make([]byte, everyDim*8), make([]byte, everyColumns*everyDim*4), make([]float64, everyColumns)
	floatRow(rng, rowsMoved)
	every["Kernel.MovedF32"] = func() { k.MovedF32(moved, rowsMoved, everyDim*4, everyDim, ids, products) }
	x, rows, by := floatsOf(rng, everyDim), floatsOf(rng, everyRows*everyDim), floatsOf(rng, everyRows)
	offsets, dst := make([]float64, everyDim), make([]byte, everyDim)
	every["Kernel.Round"] = func() { k.Round(x, 1, offsets, 40, dst) }
	y := slices.Clone(x)
	every["Kernel.Subtract"] = func() { copy(y, x); k.Subtract(y, rows, by) }
	return every
}

// codesOf has rows 0 to 15 against all columns. Functions that read sums get zeros, so
// that the norms alone decide: five columns count for each row. Codes are short, as every kernel
// takes those.
func codesOf(c *Codes) map[string]func() {
	const groups = everyDim / 4
	rng := rand.New(rand.NewPCG(1, 12))
	data, size := make([]byte, everyColumns*everyDim), c.PanelBytes(groups)
	for i := range data {
		data[i] = byte(rng.IntN(ShortCodes))
	}
	norms := make([]uint32, everyColumns)
	for j := range norms {
		norms[j] = 1<<30 + rng.Uint32N(1<<20)
	}
	sorted := slices.Sorted(slices.Values(norms))
	ids, either := make([]uint32, everyColumns), make([]uint32, everyColumns)
	d, near := make([]uint32, everyRows*everyColumns+16), make([]uint32, everyRows*everyColumns+16)
	adds, bounds := make([]uint32, everyRows), slices.Repeat([]uint32{sorted[4]}, everyRows)
	panels, room := make([]byte, everyColumns/16*size), make([]byte, c.RoomBytes(groups))
	sums, zeros := make([]int32, everyRows*everyColumns), make([]int32, everyRows*everyColumns)
	marks, first := make([]uint64, everyRows*(everyColumns+63)/64), make([]uint32, everyRows)
	var band [16]*byte
	for r := range band {
		band[r] = &data[r*everyDim]
	}
	list, steps := make([]uint64, 28), make([]byte, everyDim)
	pairs := func() {
		c.Pairs(&band, everyRows, groups, panels, norms, adds, bounds, either, d, everyColumns, marks, (everyColumns+63)/64, room)
	}
	if c.Pairs == nil {
		pairs = nil
	}
	dealt, numbers, found := make([]uint64, 480), make([]uint32, 496), make([]uint32, 496)
	for i := range dealt {
		dealt[i] = uint64(i*2654435761) >> 12
	}
	enters := func() { c.Enters(list, []uint32{7, 23, 31, 90, 91}, []uint32{1, 2, 3, 4, 5}, 9) }
	if c.Enters == nil {
		enters = nil
	}
	waiting := &WaitingColumns{IDs: ids, Limits: either, Counts: make([]uint32, everyColumns), Waiting: make([]Waiting, everyColumns)}
	few := []uint32{3, 50, 77, 160, 161, 162, 200, 280, 300, 410, 479}
	return map[string]func(){
		"Codes.Enters": enters,
		"Codes.Bits":   func() { c.Bits(marks, near) },
		"Codes.Note":   func() { clear(waiting.Counts); c.Note(few, d, waiting, new(Waiting), 0, 1<<20, 7) },
		"Codes.Pack":   func() { c.Pack(&band, groups, panels[:size]) },
		"Codes.Dots":   func() { c.Dots(&band, everyRows, groups, panels, sums, everyColumns, room) },
		"Codes.Pairs":  pairs,
		"Codes.Nearer": func() { c.Nearer(everyColumns, zeros, 0, norms, adds, bounds, ids, d, near, 0, first) },
		"Codes.Either": func() { c.Either(zeros[:everyColumns], norms, 0, bounds[0], either, ids, d, near) },
		"Codes.Bound":  func() { c.Bound(zeros[:everyColumns], norms, 0, 5) },
		"Codes.First":  func() { c.First(everyColumns, zeros, 0, norms, adds, first) },
		"Codes.Merge": func() {
			for i := range list {
				list[i] = uint64(2 * i << 33)
			}
			c.Merge(list, []uint32{7, 23, 31, 90, 91}, []uint32{1, 2, 3, 4, 5}, 9)
		},
		"Codes.Dealt":       func() { c.Dealt(dealt, 4, 4, 1<<20, numbers, found) },
		"Codes.Steps":       func() { c.Steps(zeros[:everyDim], zeros[:everyDim], 1<<20, steps) },
		"Codes.Prefetch":    func() { c.Prefetch(data, everyDim, first, everyDim) },
		"Codes.PrefetchFew": func() { c.PrefetchFew(data, everyDim, first[:4], everyDim) },
	}
}

// productsOf has eight rows against all columns, of which none reaches its bound.
func productsOf(p *Products) map[string]func() {
	rng := rand.New(rand.NewPCG(1, 13))
	data := make([]byte, 16*everyDim*4)
	floatRow(rng, data)
	var sixteen [16]*byte
	for r := range sixteen {
		sixteen[r] = &data[r*everyDim*4]
	}
	size := PanelBytes(everyDim)
	panels := make([]byte, everyColumns/16*size)
	c, halves, leasts := make([]float32, 8*everyColumns), make([]float32, everyColumns), slices.Repeat([]float32{1}, everyColumns)
	out, wide, src := make([]uint32, everyColumns+16), make([]float32, everyDim), make([]byte, 2*everyDim)
	halfRow(rng, src)
	return map[string]func(){
		"Products.Pack":     func() { p.Pack(&sixteen, everyDim, panels[:size]) },
		"Products.Products": func() { p.Products((*[8]*byte)(sixteen[:8]), everyDim, panels, c, everyColumns) },
		"Products.Reaching": func() { p.Reaching(halves, halves, leasts, 0, 1, out) },
		"Products.Halves":   func() { p.Halves(wide, src) },
	}
}

func floatsOf(rng *rand.Rand, n int) []float32 {
	bytes, x := make([]byte, 4*n), make([]float32, n)
	floatRow(rng, bytes)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	return x
}
