//go:build amd64 && !noasm

package simd

import (
	"slices"

	"golang.org/x/sys/cpu"
)

// machineKernels lists the kernels that this CPU can run, best first.
func machineKernels() (list []*Kernel) {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || !cpu.X86.HasF16C || !cpu.X86.HasBMI1 || !cpu.X86.HasBMI2 || !cpu.X86.HasPOPCNT {
		return nil
	}
	list = append(list, avx2())
	if cpu.X86.HasAVXVNNI {
		list = slices.Insert(list, 0, avx2Bytes())
	}
	if !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512BW || !cpu.X86.HasAVX512VL || !cpu.X86.HasAVX512DQ {
		return list
	}
	list = slices.Insert(list, 0, avx512())
	if k := amx(); k != nil {
		list = slices.Insert(list, 0, k)
	}
	return append(list, avx512InFloats()) // to be asked for by name
}

func avx512() *Kernel {
	k := &Kernel{
		Name:      "avx512",
		SquaredU8: ints512(squaredU8AVX512), DotU8: ints512(dotU8AVX512),
		SquaredI8: ints512(squaredI8AVX512), DotI8: ints512(dotI8AVX512),
		SquaredF32: rowsBy(squaredF32AVX512), DotF32: rowsBy(dotF32AVX512),
		SquaredF16: rowsBy(squaredF16AVX512), DotF16: rowsBy(dotF16AVX512),
		DotF32U8: rowsBy(dotF32U8AVX512), DotF32I8: rowsBy(dotF32I8AVX512),
		DotF32F16:   rowsBy(dotF32F16AVX512),
		AbsoluteF32: rowsBy(absoluteF32AVX512), LargestF32: rowsBy(largestF32AVX512),
		MovedF32: rowsBy(movedF32AVX2),
		Round:    round512Of,
		Subtract: subtractBy(16, subtract512),
		Codes:    codes512(cpu.X86.HasAVX512VNNI),
		Products: products512Table(),
	}
	if cpu.X86.HasAVX512VPOPCNTDQ {
		k.Differ, k.Both = ints512(differAVX512), ints512(bothAVX512)
	}
	return k
}

func round512Of(x []float32, norm float64, offsets []float64, perUnit float64, dst []byte) (apart float64) {
	if len(x) == 0 {
		return 0
	}
	_, _ = offsets[len(x)-1], dst[len(x)-1]
	return round512(len(x), &x[0], norm, &offsets[0], perUnit, &dst[0])
}

// subtractBy subtracts whole blocks by assembly, and the rest in Go.
func subtractBy(block int, blocks func(n int, y, rows *float32, stride int, by *float32, count int)) func(y, rows, by []float32) {
	return func(y, rows, by []float32) {
		whole := len(y) / block * block
		if whole > 0 && len(by) > 0 {
			_ = rows[len(by)*len(y)-1]
			blocks(whole, &y[0], &rows[0], 4*len(y), &by[0], len(by))
		}
		subtractFrom(whole, y, rows, by)
	}
}

//go:noescape
func subtract512(n int, y, rows *float32, stride int, by *float32, count int)

//go:noescape
func subtract2(n int, y, rows *float32, stride int, by *float32, count int)

//go:noescape
func round512(n int, x *float32, norm float64, offsets *float64, perUnit float64, dst *byte) (apart float64)

// ints512 and floats512 give the assembly, which walks the ids itself, the
// shape of a kernel.
func ints512(asm func(x, base *byte, stride, dim int, ids *uint32, n int, out *uint32)) Ints {
	return func(x, base []byte, stride, dim int, ids []uint32, out []uint32) {
		if len(ids) > 0 {
			asm(&x[0], &base[0], stride, dim, &ids[0], len(ids), &out[0])
		}
	}
}

func rowsBy(asm func(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)) Floats {
	return func(x, base []byte, stride, dim int, ids []uint32, out []float64) {
		if len(ids) > 0 {
			asm(&x[0], &base[0], stride, dim, &ids[0], len(ids), &out[0])
		}
	}
}

//go:noescape
func squaredU8AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *uint32)

//go:noescape
func dotU8AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *uint32)

//go:noescape
func squaredI8AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *uint32)

//go:noescape
func dotI8AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *uint32)

//go:noescape
func differAVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *uint32)

//go:noescape
func bothAVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *uint32)

//go:noescape
func absoluteF32AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func largestF32AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func squaredF32AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func dotF32AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func squaredF16AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func dotF16AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func dotF32F16AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func dotF32U8AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)

//go:noescape
func dotF32I8AVX512(x, base *byte, stride, dim int, ids *uint32, n int, out *float64)
