//go:build arm64 && !noasm

package simd

// neon returns the kernels of NEON. The assembly sums whole blocks of 16
// elements of one pair; Go walks the ids and adds the rest.
func neon() *Kernel {
	return &Kernel{
		Name:      "neon",
		SquaredU8: intsBy(squaredU8NEON, squaredU8), DotU8: intsBy(dotU8NEON, dotU8),
		SquaredI8: intsBy(squaredI8NEON, squaredI8), DotI8: intsBy(dotI8NEON, dotI8),
		SquaredF32: floatsBy(squaredF32NEON, float32s, float32s, squares), DotF32: floatsBy(dotF32NEON, float32s, float32s, products),
		SquaredF16: floatsBy(squaredF16NEON, float16s, float16s, squares), DotF16: floatsBy(dotF16NEON, float16s, float16s, products),
		DotF32U8: floatsBy(dotF32U8NEON, float32s, uint8s, products), DotF32I8: floatsBy(dotF32I8NEON, float32s, int8s, products),
		DotF32F16: floatsBy(dotF32F16NEON, float32s, float16s, products),
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
