package products

import (
	"fmt"
	"math"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/internal/simd"
)

// Matrix holds, beside rows that stay in place, the norms that bound their keys: 4 bytes a row.
//
// A key of at most w means an inner product of at least
//
//	euclidean, sqeuclidean:  (|x|^2 + |y|^2 - w) / 2
//	cosine:                  1 - w, of rows divided by their norms
//	correlation:             1 - w, of rows less their means, divided by their norms
//	ip:                      -w
//
// A sum of d products in float32, each product and each sum rounded once, strays
// from the inner product by at most about d*2^-24*|x|*|y| (Higham, "Accuracy and
// Stability of Numerical Algorithms", section 3.1). The bound gives way by that
// much, and by the rounding errors of the other side of the comparison.
type Matrix struct {
	rows    *vectors.Rows
	space   *distance.Space
	squares []float32 // squared norms, or what divides the rows under cosine
	kernel  *simd.Products
}

// normRows is how many rows a goroutine takes at a time.
const normRows = 4096

// Of returns the matrix of rows, which it reads once.
func Of(rows *vectors.Rows, space *distance.Space, threads int) (*Matrix, error) {
	kernel, err := simd.Choose()
	if err != nil {
		return nil, fmt.Errorf("products: %w", err)
	}
	m := &Matrix{rows: rows, space: space, squares: make([]float32, rows.Len()), kernel: kernel.Products}
	err = vectors.Ranges(threads, rows.Len(), normRows, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				norm := space.Norm(rows.Row(i))
				if !space.NeedsNorms() {
					norm *= norm
				}
				m.squares[i] = float32(norm)
				if norm > 0 && m.squares[i] == 0 {
					m.squares[i] = math.SmallestNonzeroFloat32 // it is no row of zeros
				}
			}
			return nil
		}
	})
	if err != nil {
		return nil, fmt.Errorf("products: %w", err)
	}
	return m, nil
}

// Len is the number of rows.
func (m *Matrix) Len() int { return m.rows.Len() }

// read decodes row i to dst, divided by its norm under cosine and correlation.
func (m *Matrix) read(i uint32, dst []float32) {
	m.space.Centered(m.rows.Row(int(i)), dst)
	if norm := m.squares[i]; m.space.NeedsNorms() && norm > 0 {
		for j := range dst {
			dst[j] /= norm
		}
	}
}

// side holds the numbers of one row in a comparison of products.
type side struct {
	half   float32 // what is taken from a product before it meets the other's least
	length float64 // at least the row's norm
}

// sideOf prepares row i. It leaves a norm that is beyond float32, or too small for float32's precision,
// to least, which then lets everything pass.
func (m *Matrix) sideOf(i uint32) side {
	x := float64(m.squares[i])
	switch {
	case x > 0 && x < smallestTold && m.rounds(), x > math.MaxFloat32:
		return side{0, math.Inf(1)}
	case m.space.NeedsNorms():
		return side{0, 1 + 1e-6}
	case m.space.Metric() == distance.IP:
		return side{0, math.Sqrt(x) * (1 + 1e-6)}
	case x > math.MaxFloat32/4:
		return side{0, math.Inf(1)}
	}
	return side{float32(x / 2), math.Sqrt(x) * (1 + 1e-6)}
}

// smallestTold is the norm below which the rounding of elements to float32 may exceed the share of the
// norm that the bound allows for, in any dimension.
const smallestTold = 1.0 / (1 << 63) / (1 << 53)

// rounds reports whether the length of a row is held against its rounded norm alone.
func (m *Matrix) rounds() bool { return m.space.NeedsNorms() || m.space.Metric() == distance.IP }

// unit is the rounding of float32, a little enlarged.
const unit = 1.001 / (1 << 24)

// least is the least product with row i, less the other's half, that may have a key
// of at most worst, where no other is longer than longest.
func (m *Matrix) least(i uint32, worst float32, longest float64) float32 {
	s := m.sideOf(i)
	w := float64(worst)
	var exact float64
	switch {
	case m.space.NeedsNorms():
		exact = 1 - w
	case m.space.Metric() == distance.IP:
		exact = -w
	default:
		exact = float64(m.squares[i])/2 - w/2
	}
	// Half norms, their differences from products and the key are rounded as well.
	scale := s.length*s.length + longest*longest
	if m.space.Metric() == distance.IP {
		scale = 0
	}
	slack := unit*(float64(m.rows.Dim()+16)*s.length*longest+4*scale+2*math.Abs(w)) + 1e-40
	at := exact - slack
	if !(math.Abs(at) < math.MaxFloat32/4) {
		return float32(math.Inf(-1))
	}
	return math.Nextafter32(float32(at), float32(math.Inf(-1)))
}
