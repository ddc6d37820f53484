package codes

import "math"

// Residual returns how far row i lies from its codes, in steps of the rounding by which
// they were made: at most that far. Two rows s steps apart have codes whose distance is at
// least the square of s less both residuals, where that is positive, and at most the square
// of their sum: the triangle inequality. Codes of whole numbers have none.
func (m *Matrix) Residual(i uint32) float32 {
	if m.Exact() {
		return 0
	}
	return m.residuals[i]
}

// residual is that of a row which is so far apart, squared, from its codes, rounded up.
func residual(apart float64) float32 { return float32(math.Sqrt(apart)*(1+1e-6) + 1e-6) }

// Steps is how many steps apart rows may be whose key is at most key, rounded up: keys
// are squared distances, or cosine's, half the squared distance of directions.
func (r *Rounding) Steps(key float32) float64 {
	squared := float64(key)*(1+1e-6) + math.SmallestNonzeroFloat32
	if r.Unit {
		squared = 2 * (squared + 1e-9) // one less a cosine is rounded absolutely
	}
	return math.Sqrt(max(squared, 0)) * r.PerUnit * (1 + 1e-9)
}

// WithinSteps is the largest distance of codes that are at most so many steps apart.
func WithinSteps(steps float64) uint32 {
	if squared := steps*steps*(1+1e-9) + 1; squared < 1<<32 {
		return uint32(squared)
	}
	return math.MaxUint32
}
