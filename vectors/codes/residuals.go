package codes

import (
	"math"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Residuals returns how far each row of rows lies from its codes in m, in steps of the
// rounding by which they were made: at most that far. Two rows s steps apart have codes
// whose distance is at least the square of s less both residuals, where that is positive,
// and at most the square of their sum: the triangle inequality.
func (m *Matrix) Residuals(rows *vectors.Rows, space *distance.Space, r Rounding, threads int) ([]float32, error) {
	residuals := make([]float32, m.n)
	if m.exact {
		return residuals, nil
	}
	err := vectors.Ranges(threads, m.n, fillRows, func() func(from, to int) error {
		read := newReader(rows, space, r.Unit)
		return func(from, to int) error {
			for i := from; i < to; i++ {
				residuals[i] = r.residual(read.read(i), m.row(i))
			}
			return nil
		}
	})
	return residuals, err
}

// residual is that of one row, rounded up.
func (r *Rounding) residual(row []float64, codes []byte) float32 {
	var sum float64
	for j, x := range row {
		d := (x-r.Offsets[j])*r.PerUnit - (float64(codes[j]) - 128)
		sum += d * d
	}
	return float32(math.Sqrt(sum)*(1+1e-6) + 1e-6)
}

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
