package codes

import (
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/internal/simd"
)

// Axes are directions, fewer than the dimensions, along which codes still find the near rows: rows of
// many dimensions vary much along some directions and hardly along others. Codes along axes are
// smaller, and are compared faster. [Basis.Axes] makes axes, [Matrix.Nested] applies them. All of it is
// exact, in integers.
type Axes struct {
	Dim     int     `json:"dim"`     // of the codes
	Count   int     `json:"count"`   // of the axes, a multiple of AxesStep; 0 stands for none
	Codes   []byte  `json:"codes"`   // Count rows of Dim elements, each plus 128
	Offsets []int32 `json:"offsets"` // about the mean of the rows along each
	Factor  int32   `json:"factor"`  // steps of a product, in parts of 1<<24

	// Lead is how many of the axes come first because rows vary along them most.
	Lead int `json:"lead,omitempty"`

	// Short makes codes short: of six bits, along the same axes mixed evenly.
	Short bool `json:"short,omitempty"`

	// For the part of rows that is orthogonal to the axes; without a center it is ignored.
	Center []byte  `json:"center,omitempty"` // of the rows: Dim codes
	Scale  float64 `json:"scale,omitempty"`  // squared steps, along axes, of a squared code
}

// AxesStep divides the number of axes.
const AxesStep = 32

// restShare is the share of the squared residuals of two rows, from the axes, that is added to their
// distance. If residuals were independent, all of it would belong there, but those of near rows point
// in similar directions. With shares of 0, 1/2, 3/4 and 1, 192 principal directions lose 2.0, 1.0, 0.8
// and 0.7 % of the 20 nearest among 28 candidates on GIST, and 0.30, 0.27, 0.35 and 0.40 % on MNIST.
// For 0.90 GIST takes 224 axes with 3/4 and 5/8, and 256 with 1/2.
const restShare = 0.625

// Plain returns the axes without the center and scale of residuals.
func (a *Axes) Plain() *Axes {
	plain := *a
	plain.Center, plain.Scale = nil, 0
	return &plain
}

// First returns the first count of the axes, a multiple of AxesStep.
func (a *Axes) First(count int) *Axes {
	first := *a
	first.Count, first.Codes, first.Offsets = count, a.Codes[:count*a.Dim], a.Offsets[:count]
	first.Lead = min(a.Lead, count)
	return &first
}

// check reports axes that are not of rows of so many dimensions.
func (a *Axes) check(dim int) error {
	if a.Dim != dim || a.Count <= 0 || a.Count%AxesStep != 0 || len(a.Codes) != a.Count*a.Dim || len(a.Offsets) != a.Count {
		return fmt.Errorf("codes: %d axes of %d dimensions for rows of %d", a.Count, a.Dim, dim)
	}
	if a.Lead < 0 || a.Lead > a.Count || a.Lead%AxesStep != 0 {
		return fmt.Errorf("codes: %d leading axes of %d", a.Lead, a.Count)
	}
	if len(a.Center) != 0 && (len(a.Center) != a.Dim || !(a.Scale >= 0 && a.Scale <= math.MaxFloat32)) {
		return fmt.Errorf("codes: a center of %d codes and scale %v for axes of %d dimensions", len(a.Center), a.Scale, a.Dim)
	}
	return nil
}

// Same returns the distance of row i to an equal row. Only a row with a smaller residual from the axes
// can be nearer.
func (m *Matrix) Same(i uint32) uint32 {
	if m.rest == nil {
		return 0
	}
	return m.rest[i]
}

// newMatrix returns n rows of dim codes, all zero.
func newMatrix(kernel *simd.Kernel, n, dim int) *Matrix {
	m := &Matrix{n: n, groups: (dim + 3) / 4, kernel: kernel.Codes, sums: make([]sums, n)}
	m.stride = 4 * m.groups
	m.data = make([]byte, n*m.stride)
	return m
}

// addUp computes the sums of all rows.
func (m *Matrix) addUp(kernel *simd.Kernel, threads int) error {
	return vectors.Ranges(threads, m.n, fillRows, func() func(from, to int) error {
		add := newAdder(kernel, m)
		return func(from, to int) error {
			add.rows(from, to)
			return nil
		}
	})
}

// Some returns copies of rows of m.
func (m *Matrix) Some(places []uint32) *Matrix {
	o, _ := m.SomeIn(nil, places) // the heap does not fail
	return o
}

// SomeIn is Some in memory that room gives.
func (m *Matrix) SomeIn(room Room, places []uint32) (*Matrix, error) {
	o := *m
	o.n, o.stride, o.view, o.residuals, o.narrow = len(places), 4*m.groups, false, nil, nil
	if err := o.makeRoom(room, m.residuals != nil); err != nil {
		return nil, fmt.Errorf("codes: %w", err)
	}
	for i, p := range places {
		o.take(i, m, int(p))
	}
	return &o, nil
}

// products calls visit with the sums over x[i]*(y[j]-128) for each row x of m, which it is
// told by number, and all rows y of o. Several goroutines call it, each for rows of its own.
func products(m, o *Matrix, threads int, visit func(i int, sums []int32)) error {
	share := BandRows * min(16, max(1, m.n/(4*BandRows*max(threads, 1))))
	return vectors.Ranges(threads, m.n, share, func() func(from, to int) error {
		tile, all := o.NewTile(), numbers(o.n)
		tile.Columns(all, nil)
		var band, next [BandRows]uint32
		return func(from, to int) error {
			for first := from; first < to; first += BandRows {
				rows := consecutive(&band, first, to)
				tile.RowsOf(m, band[:rows], o.n)
				after := consecutive(&next, first+BandRows, to)
				m.kernel.Prefetch(m.data, m.stride, next[:after], 4*m.groups)
				for r := range rows {
					visit(first+r, tile.of(r))
				}
			}
			return nil
		}
	})
}

// consecutive sets a band to places from first on, before last, and returns how many.
func consecutive(band *[BandRows]uint32, first, last int) int {
	n := max(0, min(BandRows, last-first))
	for i := range n {
		band[i] = uint32(first + i)
	}
	return n
}

func numbers(n int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(i)
	}
	return list
}

// axesShare is the share of elements along leading axes that need not be clipped. With 0.9995 GIST
// loses two to three times as much along 288 axes, since the few rows that lie far out have neighbors.
const axesShare = 0.9999

// scale sets the factor that turns products with the axes into codes, so that all but a few
// of the products of a sample's rows fit between the least code and the largest, and the
// scale of residuals.
func (a *Axes) scale(sample, axes *Matrix, threads int) error {
	all := make([]int32, sample.n*a.Count)
	err := products(sample, axes, threads, func(i int, sums []int32) { copy(all[i*a.Count:], sums) })
	if err != nil {
		return err
	}
	means := make([]int64, a.Count)
	for row := range slices.Chunk(all, a.Count) {
		for j, x := range row {
			means[j] += int64(x)
		}
	}
	a.Offsets = make([]int32, a.Count)
	for j, sum := range means {
		a.Offsets[j] = int32(sum / int64(sample.n))
	}
	apart := make([]float64, 0, len(all))
	for row := range slices.Chunk(all, a.Count) {
		for j, x := range row[:a.Lead] {
			apart = append(apart, math.Abs(float64(x-a.Offsets[j])))
		}
	}
	a.Factor = factorOf(apart, axesShare)
	a.Center = sample.mean()
	var squared int64
	for _, x := range a.Codes {
		squared += (int64(x) - 128) * (int64(x) - 128)
	}
	step := float64(a.Factor) / (1 << simd.StepsShift)
	a.Scale = float64(squared) / float64(a.Count) * step * step
	return nil
}

// mean is the rounded mean of the rows of m.
func (m *Matrix) mean() []byte {
	all := make([]int64, 4*m.groups)
	for i := range m.n {
		for j, x := range m.row(i) {
			all[j] += int64(x)
		}
	}
	mean := make([]byte, len(all))
	for j, sum := range all {
		mean[j] = byte((2*sum + int64(m.n)) / (2 * int64(m.n)))
	}
	return mean
}
