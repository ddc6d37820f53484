package codes

import "math"

// Codes that are not exact find near rows by bounds. Rows x and y whose key is at most
// key have a distance of codes of at most
//
//	m.Within(m.Limit(key) + m.Residual(x)*m.Length(y) + m.Residual(y)*m.Length(x))
//
// For codes that tell squared distances a limit is in steps of the rounding, lengths are 1,
// and that is the triangle inequality.

// Residual returns how far row i lies from its codes, in steps of the rounding by which
// they were made: at most that far. Codes of whole numbers have none.
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

// Limit returns how far apart rows may be whose key is at most key, rounded up.
func (m *Matrix) Limit(key float32) float64 {
	if m.inner != nil {
		return m.inner.limit(key)
	}
	return m.rounding.steps(key)
}

// Within returns the largest distance of codes that are at most so far apart.
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

// Apart returns the limit that a distance of codes stands for.
func (m *Matrix) Apart(d uint32) float64 {
	if m.inner != nil {
		return float64(d)
	}
	return math.Sqrt(float64(d))
}

// residual is that of a row which was read as one so many steps away, which is so far apart,
// squared, from its codes, rounded up.
func residual(apart, strays float64) float32 {
	return float32((math.Sqrt(apart)+strays)*(1+1e-6) + 1e-6)
}

// steps is how many steps apart rows may be whose key is at most key, rounded up: keys
// are squared distances, or those of cosine and correlation, half the squared distance of directions.
func (r *Rounding) steps(key float32) float64 {
	squared := float64(key)*(1+1e-6) + math.SmallestNonzeroFloat32
	if r.Unit {
		squared = 2 * (squared + 1e-9) // one less a cosine is rounded absolutely
	}
	return math.Sqrt(max(squared, 0)) * r.PerUnit * (1 + 1e-9)
}
