package codes

import (
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/internal/simd"
)

// Axes are directions, fewer than rows have dimensions, along which codes of rows still
// tell what is near: rows of many dimensions vary much along some and hardly along others.
// Codes along axes are smaller and are compared faster. A [Basis] has them,
// [Matrix.Along] applies them. All of it is exact, in integers.
type Axes struct {
	Dim     int     `json:"dim"`     // of the codes
	Count   int     `json:"count"`   // of the axes, a multiple of AxesStep; 0 stands for none
	Codes   []byte  `json:"codes"`   // Count rows of Dim elements, each plus 128
	Offsets []int32 `json:"offsets"` // about what rows have along each, in the mean
	Factor  int32   `json:"factor"`  // what a product counts, in parts of 1<<24 of a step
}

// AxesStep is of what numbers of axes are multiples.
const AxesStep = 32

// Along returns the codes of the same rows along axes, which must have been found for
// codes by the same rounding. Distances of its rows order them approximately, whatever
// those of m do; nothing bounds how far they are off.
func (m *Matrix) Along(a *Axes, threads int) (*Matrix, error) {
	kernel, err := simd.Choose()
	if err != nil {
		return nil, fmt.Errorf("codes: %w", err)
	}
	if a.Dim != 4*m.groups || a.Count <= 0 || a.Count%AxesStep != 0 || len(a.Codes) != a.Count*a.Dim || len(a.Offsets) != a.Count {
		return nil, fmt.Errorf("codes: %d axes of %d dimensions for rows of %d", a.Count, a.Dim, 4*m.groups)
	}
	axes := newMatrix(kernel, a.Count, a.Dim)
	copy(axes.data, a.Codes)
	o := newMatrix(kernel, m.n, a.Count)
	o.reduced = true
	err = products(m, axes, threads, func(i int, sums []int32) {
		o.kernel.Steps(sums, a.Offsets, a.Factor, o.row(i))
	})
	if err != nil {
		return nil, err
	}
	return o, o.addUp(kernel, threads)
}

// newMatrix returns n rows of dim codes, all zero.
func newMatrix(kernel *simd.Kernel, n, dim int) *Matrix {
	m := &Matrix{n: n, groups: (dim + 3) / 4, kernel: kernel.Codes, sums: make([]sums, n)}
	m.stride = 4 * m.groups
	m.data = make([]byte, n*m.stride)
	m.own = 8*int64(n) + int64(len(m.data))
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
	o := *m
	o.n, o.stride, o.view = len(places), 4*m.groups, false
	o.sums, o.data = make([]sums, o.n), make([]byte, o.n*o.stride)
	if m.residuals != nil {
		o.residuals = make([]float32, o.n)
	}
	for i, p := range places {
		o.take(i, m, int(p))
	}
	return &o
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

// scale sets what makes steps of products with the axes: as much as leaves all but few of
// those of the rows of a sample between the least code and the largest.
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
		for j, x := range row {
			apart = append(apart, math.Abs(float64(x-a.Offsets[j])))
		}
	}
	beyond := max(1, len(apart)-int(fitShare*float64(len(apart))))
	far := max(1, largest(apart, beyond)[beyond-1])
	a.Factor = int32(127 / far * (1 << simd.StepsShift))
	return nil
}
