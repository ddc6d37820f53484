package vectors

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/knng/knng/vectors/internal/simd"
)

// FromFloat32 makes a source of float32 rows held in memory: row i is
// data[i*dim:(i+1)*dim]. The slice is kept.
func FromFloat32(data []float32, dim int) (*Rows, error) {
	if dim < 1 || len(data)%dim != 0 {
		return nil, fmt.Errorf("vectors: %d values are no rows of %d", len(data), dim)
	}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), 4*len(data))
	return RowsOf(raw, len(data)/dim, dim, 4*dim, Float32)
}

// halves converts many float16, by the instruction for it where there is one.
var halves = sync.OnceValue(func() func(dst []float32, src []byte) {
	kernel, err := simd.Choose()
	if err != nil { // a kernel is asked for that this machine lacks: others say so
		kernel = simd.Portable()
	}
	return kernel.Products.Halves
})

// Decode converts a row of type t to float32, exactly. len(dst) elements are
// read from row.
func Decode(t Type, row []byte, dst []float32) {
	switch t {
	case Uint8:
		for i, x := range row[:len(dst)] {
			dst[i] = float32(x)
		}
	case Int8:
		for i, x := range row[:len(dst)] {
			dst[i] = float32(int8(x))
		}
	case Float16:
		halves()(dst, row)
	case Float32:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(row[4*i:]))
		}
	}
}

// Encode converts float32 elements to type t: rounded to nearest, ties to even.
// An element that t cannot hold is an error that names its column.
func Encode(t Type, src []float32, row []byte) error {
	for i, x := range src {
		if err := encodeElement(t, x, row[i*t.Size():]); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

func encodeElement(t Type, x float32, dst []byte) error {
	lo, hi := 0.0, 255.0
	switch t {
	case Float32:
		binary.LittleEndian.PutUint32(dst, math.Float32bits(x))
		return nil
	case Float16:
		h := Float32ToFloat16(x)
		if h&0x7fff == 0x7c00 && !math.IsInf(float64(x), 0) {
			return fmt.Errorf("%g is beyond float16", x)
		}
		binary.LittleEndian.PutUint16(dst, h)
		return nil
	case Int8:
		lo, hi = -128, 127
	}
	v := math.RoundToEven(float64(x))
	if !(v >= lo && v <= hi) {
		return fmt.Errorf("%g is beyond %v", x, t)
	}
	dst[0] = byte(int(v))
	return nil
}
