package vectors

import (
	"encoding/binary"
	"math"
	"slices"
)

// The squares of float32 numbers overflow above 2^63 and lose precision below 2^-63. Rows of such
// sizes are multiplied by a power of two, which rounds nothing, before they are compared.

// LeastSize and MostSize are the sizes (SizeOf) between which rows need no scaling: the squares of
// their differences are exact enough, and sums of them do not overflow.
const LeastSize, MostSize = -30, 55

// scaleSample is the number of rows that tell the size of all.
const scaleSample = 1024

// ScaleOf returns the exponent of the power of two by which rows are to be multiplied, so that
// float32 holds the squares of their differences. It is 0 for nearly all inputs. The median size of a
// sample decides. If that is very small, ScaleOf reads all rows, since the largest of them must not
// overflow after scaling. tiny reports that all elements are below the smallest normal float32, which
// integers read as floats are.
func ScaleOf(src Source) (exponent int, tiny bool, err error) {
	if src.Type() != Float32 || src.Len() == 0 {
		return 0, false, nil
	}
	var sizes []int
	step := max(1, src.Len()/scaleSample)
	err = eachRow(src, step, func(row []byte) {
		if e, ok := SizeOf(row); ok {
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
		if e, ok := SizeOf(row); ok {
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

// ScaleBetween returns the exponent of the power of two by which float32 rows with sizes (SizeOf) from
// least to largest are to be multiplied: 0 if they need no scaling, else the largest that does not
// overflow.
func ScaleBetween(least, largest int) int {
	if least >= LeastSize && largest <= MostSize {
		return 0
	}
	return MostSize - largest
}

// Span is the largest difference of sizes for which one power of two suits all rows.
const Span = MostSize - LeastSize

// SizeOf returns the size of a float32 row: the exponent e of its largest finite element, f*2^e with
// 1/2 <= |f| < 1. ok is false for a row without nonzero finite elements.
func SizeOf(row []byte) (exponent int, ok bool) {
	var largest uint32
	for ; len(row) >= 4; row = row[4:] {
		if bits := binary.LittleEndian.Uint32(row) &^ (1 << 31); bits < 0x7f800000 {
			largest = max(largest, bits)
		}
	}
	_, exponent = math.Frexp(float64(math.Float32frombits(largest)))
	return exponent, largest != 0
}

// Scaled returns an input with every element of src multiplied by 2^exponent. It has the files of
// src, which must stay open.
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

// Scale returns x * 2^exponent, rounded to float32.
func Scale(x float32, exponent int) float32 {
	return float32(math.Ldexp(float64(x), exponent))
}
