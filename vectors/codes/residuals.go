package codes

import "math"

// Codes that are not exact find near rows by bounds. If the key of rows x and y is at most key, the
// distance of their codes is at most
//
//	m.Within(m.Limit(key) + m.Residual(x)*m.Length(y) + m.Residual(y)*m.Length(x))
//
// For codes of squared distances, limits are in steps of the rounding and lengths are 1: then this is
// the triangle inequality.

// Residual bounds the distance of row i from its codes, in steps of their rounding. It is 0 for codes
// of integers.
func (m *Matrix) Residual(i uint32) float32 {
	if m.Exact() {
		return 0
	}
	return m.residuals[i]
}

// Length returns the weight of another row's residual beside row i.
func (m *Matrix) Length(i uint32) float32 {
	if m.inner == nil {
		return 1
	}
	return m.inner.lengths[i]
}

// Limit returns the largest distance of rows whose key is at most key, rounded up.
func (m *Matrix) Limit(key float32) float64 {
	if m.inner != nil {
		return m.inner.limit(key)
	}
	return m.rounding.steps(key)
}

// Within returns the largest distance of codes that are at most limit apart.
func (m *Matrix) Within(limit float64) uint32 {
	squared := limit + 1
	if m.inner == nil {
		squared = limit*limit*(1+1e-9) + 1
	}
	switch {
	case squared >= 1<<32:
		return math.MaxUint32
	case squared > 0:
		return uint32(squared)
	}
	return 0
}

// Reaches reports whether a distance of codes is at most Within(limit), without rounding it.
func (m *Matrix) Reaches(d uint32, limit float64) bool {
	if m.inner == nil {
		limit *= limit * (1 + 1e-9)
	}
	return float64(d) <= limit+1
}

// Apart returns the limit that the distance d of codes corresponds to.
func (m *Matrix) Apart(d uint32) float64 {
	if m.inner != nil {
		return float64(d)
	}
	return math.Sqrt(float64(d))
}

// residual returns a row's residual, rounded up: apart is the squared distance of the row as it was
// read from its codes, strays the distance of the row itself from the row as it was read.
func residual(apart, strays float64) float32 {
	return float32((math.Sqrt(apart)+strays)*(1+1e-6) + 1e-6)
}

// steps returns the largest distance, in steps, of rows whose key is at most key, rounded up. Keys are
// squared distances or, under cosine and correlation, half the squared distance of directions.
func (r *Rounding) steps(key float32) float64 {
	squared := float64(key)*(1+1e-6) + math.SmallestNonzeroFloat32
	if r.Unit {
		squared = 2 * (squared + 1e-9) // one less a cosine is rounded absolutely
	}
	return math.Sqrt(max(squared, 0)) * r.PerUnit * (1 + 1e-9)
}
