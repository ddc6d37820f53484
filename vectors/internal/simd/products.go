package simd

// Products is the arithmetic of float32 rows in tiles: many rows against many,
// then which sums are large enough. Unlike a Kernel's sums these are rounded in
// each CPU's own way: they say which pairs to evaluate, and are never keys.
//
// Columns are packed in panels of 16 rows: panel[16*i+j] is element i of row j.
type Products struct {
	// Pack writes a panel of PanelBytes(dim) bytes from rows of dim elements.
	Pack func(rows *[16]*byte, dim int, panel []byte)

	// Products sets c[ldc*r+16*p+j] to the inner product of row r and column j of
	// panel p, for 8 rows and len(panels)/PanelBytes(dim) panels: a chain of dim
	// sums in the order of elements, of which each, and each product, is rounded at
	// most once.
	Products func(rows *[8]*byte, dim int, panels []byte, c []float32, ldc int)

	// Reaching writes to out the columns j whose c[j]-halves[j] is not below least,
	// or whose c[j]-half is not below leasts[j], in order, and returns how many.
	// NaN is not below. Up to 16 elements past its results, and
	// c, halves and leasts up to a multiple of 16, must be there.
	Reaching func(c, halves, leasts []float32, half, least float32, out []uint32) int

	// Halves converts len(dst) elements of float16 to float32, exactly.
	Halves func(dst []float32, src []byte)
}
