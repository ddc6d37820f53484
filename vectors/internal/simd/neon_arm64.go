//go:build arm64 && !noasm

package simd

// neon returns the kernels of NEON. The assembly sums whole blocks of 16
// elements of one pair; Go walks the ids and adds the rest.
func neon() *Kernel {
	return &Kernel{
		Name:      "neon",
		SquaredU8: intsBy(squaredU8NEON, squaredU8), DotU8: intsBy(dotU8NEON, dotU8),
		SquaredI8: intsBy(squaredI8NEON, squaredI8), DotI8: intsBy(dotI8NEON, dotI8),
		SquaredF32: floatsBy(squaredF32NEON, 4, 4), DotF32: floatsBy(dotF32NEON, 4, 4),
		SquaredF16: floatsBy(squaredF16NEON, 2, 2), DotF16: floatsBy(dotF16NEON, 2, 2),
		DotF32U8: floatsBy(dotF32U8NEON, 4, 1), DotF32I8: floatsBy(dotF32I8NEON, 4, 1),
		DotF32F16: floatsBy(dotF32F16NEON, 4, 2),
		MovedF32:  movedGo,
		Round:     roundGo,
		Subtract:  subtractGo,
		Codes:     codesNEON(),
		Products:  productsNEON(),
	}
}

//go:noescape
func squaredU8NEON(x, row *byte, blocks int) uint32

//go:noescape
func dotU8NEON(x, row *byte, blocks int) uint32

//go:noescape
func squaredI8NEON(x, row *byte, blocks int) uint32

//go:noescape
func dotI8NEON(x, row *byte, blocks int) uint32

//go:noescape
func squaredF32NEON(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func dotF32NEON(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func squaredF16NEON(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func dotF16NEON(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func dotF32F16NEON(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func dotF32U8NEON(x, row *byte, blocks int, lanes *lanes)

//go:noescape
func dotF32I8NEON(x, row *byte, blocks int, lanes *lanes)
