package vectors

import (
	"encoding/binary"
	"math"
	"slices"
)

// Float32 squares overflow beyond 2^63 and are inexact below 2^-63. Rows of other sizes
// are multiplied by a power of two, which rounds nothing, before they are compared.

// Rows whose sizes (SizeOf) lie between these are left as they are:
// squares of their differences have all bits, and sums of them do not overflow.
const LeastSize, MostSize = -30, 55

// scaleSample is the number of rows that tell the size of all.
const scaleSample = 1024

// ScaleOf returns the power of two, as its exponent, by which rows are to be multiplied so
// that float32 holds squares of their differences: 0 for all but unusual rows. The median
// row of a sample decides; all rows are read only if it is very small, as the largest of
// them must not overflow then. tiny reports that even the largest element of all is below
// the smallest normal float32, as integers are that were read as floats.
func ScaleOf(src Source) (exponent int, tiny bool, err error) {
	if src.Type() != Float32 || src.Len() == 0 {
		return 0, false, nil
	}
	var sizes []int
	step := max(1, src.Len()/scaleSample)
	err = eachRow(src, step, func(row []byte) {
		if e, ok := largestExponent(row); ok {
			sizes = append(sizes, e)
		}
	})
	if err != nil || len(sizes) == 0 {
		return 0, false, err
	}
	slices.Sort(sizes)
	median := sizes[len(sizes)/2]
	switch {
	case median > MostSize:
		return -median, false, nil
	case median >= LeastSize:
		return 0, false, nil
	}
	largest := math.MinInt
	err = eachRow(src, 1, func(row []byte) {
		if e, ok := largestExponent(row); ok {
			largest = max(largest, e)
		}
	})
	return max(0, min(-median, MostSize-largest)), largest < -125, err
}

// eachRow calls fn with every step-th row.
func eachRow(src Source, step int, fn func(row []byte)) error {
	size := src.Dim() * src.Type().Size()
	rows := 1
	if step == 1 {
		rows = batchRows(src)
	}
	buf := make([]byte, rows*size)
	for from := 0; from < src.Len(); from += rows * step {
		some := buf[:min(rows, src.Len()-from)*size]
		if err := src.ReadRows(from, some); err != nil {
			return err
		}
		for ; len(some) > 0; some = some[size:] {
			fn(some[:size])
		}
	}
	return nil
}

// ScaleBetween returns the power of two, as its exponent, by which rows of float32 are to be multiplied whose sizes (SizeOf) lie
// between two: 0 for usual rows, and else as much as the largest bear.
func ScaleBetween(least, largest int) int {
	if least >= LeastSize && largest <= MostSize {
		return 0
	}
	return MostSize - largest
}

// Span is by how much, as an exponent, rows may differ in size for float32 to hold the squares of all when they are multiplied by
// one power of two.
const Span = MostSize - LeastSize

// SizeOf is the exponent of the largest finite element of a row of float32, f*2^e with f from a half to one. There is none in a row
// of zeros.
func SizeOf(row []byte) (exponent int, ok bool) { return largestExponent(row) }

// largestExponent is e of the largest finite element of a row, f*2^e with f from a half to
// one. There is none in a row of zeros.
func largestExponent(row []byte) (exponent int, ok bool) {
	var largest uint32
	for ; len(row) >= 4; row = row[4:] {
		if bits := binary.LittleEndian.Uint32(row) &^ (1 << 31); bits < 0x7f800000 {
			largest = max(largest, bits)
		}
	}
	_, exponent = math.Frexp(float64(math.Float32frombits(largest)))
	return exponent, largest != 0
}

// Scaled is src with every element multiplied by 2 to the exponent. It has the files of
// src, which stays open.
func Scaled(src *Input, exponent int) *Input {
	if exponent == 0 {
		return src
	}
	return &Input{Source: scaled{src, exponent}, Files: src.Files}
}

type scaled struct {
	Source
	exponent int
}

func (s scaled) ReadRows(first int, dst []byte) error {
	if err := s.Source.ReadRows(first, dst); err != nil {
		return err
	}
	for ; len(dst) >= 4; dst = dst[4:] {
		x := math.Float32frombits(binary.LittleEndian.Uint32(dst))
		binary.LittleEndian.PutUint32(dst, math.Float32bits(Scale(x, s.exponent)))
	}
	return nil
}

// Scale is x multiplied by 2 to the exponent.
func Scale(x float32, exponent int) float32 {
	return float32(math.Ldexp(float64(x), exponent))
}
