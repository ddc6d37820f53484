package vectors

import "fmt"

// Type is the element type of a matrix.
type Type uint8

// The element types that rows may have. The values are part of the row file
// format and never change.
const (
	Uint8   Type = 1
	Int8    Type = 2
	Float16 Type = 3 // IEEE 754 binary16
	Float32 Type = 4
)

// MaxRows is the most rows that a graph can be built of: they are numbered in 32
// bits, and the last number stands for none.
const MaxRows = 1<<32 - 1

// MaxDim is the largest dimension that a matrix may have: with it, integer
// sums of squared differences of bytes (at most dim * 255^2) fit uint32.
const MaxDim = 65536

// Size returns the bytes of one element, or 0 for an unknown type.
func (t Type) Size() int {
	switch t {
	case Uint8, Int8:
		return 1
	case Float16:
		return 2
	case Float32:
		return 4
	}
	return 0
}

// String returns the NumPy name of the type: uint8, int8, float16, float32.
func (t Type) String() string {
	switch t {
	case Uint8:
		return "uint8"
	case Int8:
		return "int8"
	case Float16:
		return "float16"
	case Float32:
		return "float32"
	}
	return fmt.Sprintf("vectors.Type(%d)", uint8(t))
}

// ParseType is the inverse of Type.String.
func ParseType(s string) (Type, error) {
	for _, t := range []Type{Uint8, Int8, Float16, Float32} {
		if t.String() == s {
			return t, nil
		}
	}
	return 0, fmt.Errorf("vectors: unknown element type %q: want uint8, int8, float16 or float32", s)
}

// Source is a matrix that can be read in order or at random, by several
// goroutines at once. FromFunc and FromFloat32 make one of float32 without a byte
// written by hand.
type Source interface {
	// Len is the number of rows.
	Len() int
	// Dim is the number of elements of a row.
	Dim() int
	// Type is the element type.
	Type() Type
	// ReadRows copies rows first, first+1, ... into dst, whose length is a
	// multiple of the row size (Dim*Type.Size() bytes) and says how many.
	// An error names the file, row and byte offset.
	ReadRows(first int, dst []byte) error
}
