package simd

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// Ints evaluates integer rows: out[j] = sum over i of f(x[i], row[i]).
// A sum of squares fits uint32, an inner product of int8 is an int32 in its bits.
type Ints func(x, base []byte, stride, dim int, ids []uint32, out []uint32)

// Floats evaluates float rows, and rows of any type against float32 directions.
type Floats func(x, base []byte, stride, dim int, ids []uint32, out []float64)

// A Kernel is the functions of one instruction set.
type Kernel struct {
	Name string

	SquaredU8, DotU8   Ints   // x and rows uint8
	SquaredI8, DotI8   Ints   // x and rows int8
	SquaredF32, DotF32 Floats // x and rows float32
	SquaredF16, DotF16 Floats // x and rows float16

	DotF32U8, DotF32I8, DotF32F16 Floats // x float32, rows uint8, int8, float16

	// AbsoluteF32 sums the absolute differences of float32 rows, LargestF32 finds the largest;
	// nil where Go does it (package distance).
	AbsoluteF32, LargestF32 Floats

	// Differ and Both count the bits of rows of bytes that differ from those of x, and that both
	// have; nil where Go does it (package distance).
	Differ, Both Ints

	// MovedF32 sums x[i] * (row[i] - the row's mean) of float32 rows, the product rounded before
	// it is added to its lane. x is float64, with zeros up to a multiple of 16 elements. The mean
	// is the sum of the elements, in lanes as well, divided by their number.
	MovedF32 Floats

	// Round makes codes of the elements of a row divided by norm: dst[i] is
	// (x[i]/norm - offsets[i])*perUnit + 128.5 without its fraction, at least 0 and at
	// most 255. Every step is rounded to float64. It returns the sum of the squares, in
	// any order, of the differences between that value less 0.5 and the code.
	Round func(x []float32, norm float64, offsets []float64, perUnit float64, dst []byte) (apart float64)

	// Subtract takes multiples of rows, which begin len(y) elements apart, from y, one after
	// the other: y[i] -= float32(by[j]*rows[j*len(y)+i]). Each step is rounded to float32.
	Subtract func(y, rows, by []float32)

	Codes    *Codes
	Products *Products
}

// kernels lists those that this machine can run, best first.
func kernels() []*Kernel { return append(machineKernels(), Portable()) }

// Choose returns the best kernel, or the one that KNNG_KERNEL names.
var Choose = sync.OnceValues(func() (*Kernel, error) { return choose(os.Getenv("KNNG_KERNEL")) })

func choose(name string) (*Kernel, error) {
	for _, k := range kernels() {
		if name == "" || name == k.Name {
			return k, nil
		}
	}
	return nil, fmt.Errorf("KNNG_KERNEL is %q, this machine has %s", name, strings.Join(Names(), ", "))
}

// Names are the kernels that this machine can run, best first.
func Names() (names []string) {
	for _, k := range kernels() {
		names = append(names, k.Name)
	}
	return names
}
