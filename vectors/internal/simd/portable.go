package simd

import (
	"encoding/binary"
	"math"
	"sync"
)

// Portable returns the kernels in Go: the twins that the assembly is
// tested against, and that run where there is none.
func Portable() *Kernel {
	return &Kernel{
		Name:      "go",
		SquaredU8: ints(squaredU8), DotU8: ints(dotU8),
		SquaredI8: ints(squaredI8), DotI8: ints(dotI8),
		SquaredF32: floats(float32s, float32s, squares), DotF32: floats(float32s, float32s, products),
		SquaredF16: floats(float16s, float16s, squares), DotF16: floats(float16s, float16s, products),
		DotF32U8: floats(float32s, uint8s, products), DotF32I8: floats(float32s, int8s, products),
		DotF32F16: floats(float32s, float16s, products),
		MovedF32:  movedGo,
		Round:     roundGo,
		Subtract:  subtractGo,
		Codes:     portableCodes(),
		Products:  portableProducts(),
	}
}

func subtractGo(y, rows, by []float32) { subtractFrom(0, y, rows, by) }

// subtractFrom does it from an element on.
func subtractFrom(first int, y, rows, by []float32) {
	for j, a := range by {
		row := rows[j*len(y):][:len(y)]
		for i := first; i < len(y); i++ {
			y[i] -= float32(a * row[i])
		}
	}
}

func roundGo(x []float32, norm float64, offsets []float64, perUnit float64, dst []byte) (apart float64) {
	for i, x := range x {
		// The conversions forbid fusing products with sums.
		steps := float64((float64(x)/norm - offsets[i]) * perUnit)
		dst[i] = byte(min(max(steps+128.5, 0), 255))
		d := steps + 128 - float64(dst[i])
		apart += d * d
	}
	return apart
}

// ints lifts a sum over one pair of rows to one row against many.
func ints(sum func(x, y []byte) uint32) Ints {
	return func(x, base []byte, stride, dim int, ids []uint32, out []uint32) {
		for j, id := range ids {
			out[j] = sum(x[:dim], base[int(id)*stride:][:dim])
		}
	}
}

func squaredU8(x, y []byte) (sum uint32) {
	for i := range x {
		d := int32(x[i]) - int32(y[i])
		sum += uint32(d * d)
	}
	return sum
}

func dotU8(x, y []byte) (sum uint32) {
	for i := range x {
		sum += uint32(x[i]) * uint32(y[i])
	}
	return sum
}

func squaredI8(x, y []byte) (sum uint32) {
	for i := range x {
		d := int32(int8(x[i])) - int32(int8(y[i]))
		sum += uint32(d * d)
	}
	return sum
}

func dotI8(x, y []byte) uint32 {
	var sum int32
	for i := range x {
		sum += int32(int8(x[i])) * int32(int8(y[i]))
	}
	return uint32(sum)
}

// lanes is one row's running sums.
type lanes [16]float64

// add adds up the lanes in halves: each to the one eight further, then four, two and one.
func (l *lanes) add() float64 {
	return (l.fourth(0) + l.fourth(2)) + (l.fourth(1) + l.fourth(3))
}

// fourth adds up every fourth lane.
func (l *lanes) fourth(j int) float64 { return (l[j] + l[j+8]) + (l[j+4] + l[j+12]) }

// decode converts elements from, from+1, ... of a row to float32, exactly.
type decode func(dst []float32, row []byte, from int)

// addTo adds elements to their lanes; the first belongs to lane 0.
type addTo func(l *lanes, x, y []float32)

// pair is the buffers of the sum of one pair of rows. It is pooled, since arguments of a
// function value escape to the heap.
type pair struct {
	lanes, rest lanes
	xs, ys      [256]float32
	x, row      [64]byte // the elements after the last block, and zeros
}

var pairs = sync.Pool{New: func() any { return new(pair) }}

// floats lifts a step over some elements to one row against many.
func floats(ofX, ofRow decode, step addTo) Floats {
	return func(x, base []byte, stride, dim int, ids []uint32, out []float64) {
		p := pairs.Get().(*pair)
		for j, id := range ids {
			p.lanes = lanes{}
			out[j] = p.sum(dim, x, base[int(id)*stride:], ofX, ofRow, step)
		}
		pairs.Put(p)
	}
}

// sum adds all elements to the lanes and adds those up.
func (p *pair) sum(dim int, x, row []byte, ofX, ofRow decode, step addTo) float64 {
	for from := 0; from < dim; from += len(p.xs) {
		n := min(len(p.xs), dim-from)
		ofX(p.xs[:n], x, from)
		ofRow(p.ys[:n], row, from)
		step(&p.lanes, p.xs[:n], p.ys[:n])
	}
	return p.lanes.add()
}

func squares(l *lanes, x, y []float32) {
	for i := range x {
		d := float64(x[i] - y[i]) // rounded to float32 first
		l[i%16] += d * d
	}
}

func products(l *lanes, x, y []float32) {
	for i := range x {
		l[i%16] += float64(x[i]) * float64(y[i])
	}
}

func float32s(dst []float32, row []byte, from int) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(row[4*(from+i):]))
	}
}

func uint8s(dst []float32, row []byte, from int) {
	for i, x := range row[from : from+len(dst)] {
		dst[i] = float32(x)
	}
}

func int8s(dst []float32, row []byte, from int) {
	for i, x := range row[from : from+len(dst)] {
		dst[i] = float32(int8(x))
	}
}

// float16s is vectors.Float16ToFloat32, which this level cannot import.
func float16s(dst []float32, row []byte, from int) {
	for i := range dst {
		h := uint32(binary.LittleEndian.Uint16(row[2*(from+i):]))
		sign, exp, frac := h>>15<<31, h>>10&31, h&1023
		switch exp {
		case 31:
			dst[i] = math.Float32frombits(sign | 255<<23 | frac<<13)
		case 0:
			dst[i] = math.Float32frombits(sign | math.Float32bits(float32(frac)*(1.0/(1<<24))))
		default:
			dst[i] = math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
		}
	}
}
