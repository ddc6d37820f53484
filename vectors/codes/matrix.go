package codes

import (
	"bytes"
	"fmt"
	"math"
	"unsafe"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/internal/simd"
)

// Matrix holds n rows of codes.
type Matrix struct {
	n, stride int
	groups    int // of four elements, the last one padded with zeros
	data      []byte
	sums      []sums
	residuals []float32 // how far rows lie from their codes, in steps; nil if exact
	inner     *inner    // of codes that tell inner products
	kernel    *simd.Codes
	rounding  Rounding
	view      bool     // data is that of the rows given
	reduced   bool     // to axes, or to short codes
	rest      []uint32 // of rows reduced to axes: what their distances to rows like them have beside these
	narrow    *narrowed
}

// sums are the terms that turn the tile's products into distances: see package simd.
type sums struct {
	norm uint32 // sum of squares
	add  uint32 // norm less the sum of the codes times 256, or twice the kernel's zero
}

// Of returns the codes of rows: views of them where they are codes and their
// length is a multiple of four, copies otherwise. A view lives as long as rows.
func Of(rows *vectors.Rows, space *distance.Space, r Rounding, threads int) (*Matrix, error) {
	return OfIn(nil, rows, space, r, threads)
}

// OfIn is Of in memory that room gives.
func OfIn(room Room, rows *vectors.Rows, space *distance.Space, r Rounding, threads int) (*Matrix, error) {
	kernel, err := simd.Choose()
	if err != nil {
		return nil, fmt.Errorf("codes: %w", err)
	}
	if len(r.Offsets) != 0 && len(r.Offsets) != rows.Dim() {
		return nil, fmt.Errorf("codes: rounding of %d dimensions for rows of %d", len(r.Offsets), rows.Dim())
	}
	dim := rows.Dim()
	m := &Matrix{n: rows.Len(), groups: (dim + 3) / 4, kernel: kernel.Codes, rounding: r}
	m.view = rows.Type() == vectors.Uint8 && m.Exact() && dim%4 == 0
	m.stride = 4 * m.groups
	if err := m.makeRoom(room, !m.Exact()); err != nil {
		return nil, fmt.Errorf("codes: %w", err)
	}
	if m.view {
		m.data, m.stride = rows.Base(), rows.Stride()
	}
	if err := m.fill(kernel, rows, space, threads); err != nil {
		return nil, fmt.Errorf("codes: %w", err)
	}
	return m, nil
}

// Room gives memory of so many bytes, all zero, which begins where eight bytes may.
type Room func(bytes int) ([]byte, error)

// makeRoom makes room for sums, for codes that are no view and, where they have them, for residuals.
func (m *Matrix) makeRoom(room Room, residuals bool) (err error) {
	if m.sums, err = taken[sums](room, m.n); err != nil {
		return err
	}
	if !m.view {
		if m.data, err = taken[byte](room, m.n*m.stride); err != nil {
			return err
		}
	}
	if residuals {
		m.residuals, err = taken[float32](room, m.n)
	}
	return err
}

// taken is a slice of n zeros; without room it is of the heap.
func taken[T sums | byte | float32](room Room, n int) ([]T, error) {
	if room == nil || n == 0 {
		return make([]T, n), nil
	}
	var one T
	bytes, err := room(n * int(unsafe.Sizeof(one)))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), n), nil
}

// Len is the number of rows.
func (m *Matrix) Len() int { return m.n }

// Dim is the number of the codes of a row, with the zeros that fill up groups of four.
func (m *Matrix) Dim() int { return 4 * m.groups }

// Exact reports whether distances of codes are the squared distances of rows.
func (m *Matrix) Exact() bool { return len(m.rounding.Offsets) == 0 && !m.reduced }

// Reduced reports whether the codes are those along axes, or short, in place of others.
func (m *Matrix) Reduced() bool { return m.reduced }

// Rounding is that by which the codes were made.
func (m *Matrix) Rounding() *Rounding { return &m.rounding }

// fillRows is how many rows a goroutine takes at a time: of 60,000 rows, 4,096 at a time
// left one of two goroutines alone with a fifteenth.
const fillRows = 1024

// fill computes codes, unless they are there, and their sums.
func (m *Matrix) fill(kernel *simd.Kernel, rows *vectors.Rows, space *distance.Space, threads int) error {
	return vectors.Ranges(threads, m.n, fillRows, func() func(from, to int) error {
		read, add := newReader(rows, space, m.rounding.Unit), newAdder(kernel, m)
		return func(from, to int) error {
			if !m.view {
				for i := from; i < to; i++ {
					m.encode(i, rows, read, kernel)
				}
			}
			add.rows(from, to)
			return nil
		}
	})
}

func (m *Matrix) encode(i int, rows *vectors.Rows, read *reader, kernel *simd.Kernel) {
	dst, r := m.row(i), &m.rounding
	switch {
	case !m.Exact():
		row, norm := read.raised(i)
		m.residuals[i] = residual(kernel.Round(row, norm, r.Offsets, r.PerUnit, dst), read.strays(norm)*r.PerUnit)
	case rows.Type() == vectors.Int8:
		for j, x := range rows.Row(i) {
			dst[j] = x ^ 0x80 // distances do not change
		}
	default:
		copy(dst, rows.Row(i))
	}
}

// addRows is how many rows a kernel adds up at a time.
const addRows = 64

// adder computes the sums of rows: one per goroutine. A sum is the product with ones, a
// sum of squares the squared distance from zeros.
type adder struct {
	*Matrix
	kernel      *simd.Kernel
	zeros, ones []byte
	ids         [addRows]uint32
	squares     [addRows]uint32
	plain       [addRows]uint32
}

func newAdder(kernel *simd.Kernel, m *Matrix) *adder {
	a := &adder{Matrix: m, kernel: kernel, zeros: make([]byte, 4*m.groups), ones: bytes.Repeat([]byte{1}, 4*m.groups)}
	for i := range a.ids {
		a.ids[i] = uint32(i)
	}
	return a
}

func (a *adder) rows(from, to int) {
	for ; from < to; from += addRows {
		n := min(addRows, to-from)
		base, ids, dim, zero := a.data[from*a.stride:], a.ids[:n], 4*a.groups, a.Matrix.kernel.Zero()
		a.kernel.SquaredU8(a.zeros, base, a.stride, dim, ids, a.squares[:n])
		a.kernel.DotU8(a.ones, base, a.stride, dim, ids, a.plain[:n])
		for i, squares := range a.squares[:n] {
			a.sums[from+i] = sums{squares, squares - 2*zero*a.plain[i]}
		}
	}
}

func (m *Matrix) row(i int) []byte { return m.data[i*m.stride : i*m.stride+4*m.groups] }

// at is where row i begins; it panics where i is no row.
func (m *Matrix) at(i uint32) *byte {
	_ = m.sums[i]
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(m.data)), int(i)*m.stride))
}

// Distance is DistanceTo within one matrix.
func (m *Matrix) Distance(a, b uint32) uint32 { return m.DistanceTo(a, m, b) }

// DistanceTo returns the distance of row a and row b of o as it is defined, element by
// element: the oracle for the distances of tiles.
func (m *Matrix) DistanceTo(a uint32, o *Matrix, b uint32) uint32 {
	var sum uint32
	y := o.row(int(b))
	for i, x := range m.row(int(a)) {
		d := int32(x) - int32(y[i])
		sum += uint32(d * d)
	}
	return sum
}

// Reordered returns the codes of rows, whose row i is row order[i] of those that m
// was made of. Only codes that are a view need the rows.
func (m *Matrix) Reordered(rows *vectors.Rows, order []uint32, threads int) (*Matrix, error) {
	if m.view && rows.Len() != len(order) {
		return nil, fmt.Errorf("codes: %d rows in an order of %d", rows.Len(), len(order))
	}
	o := *m
	o.n, o.sums, o.narrow = len(order), make([]sums, len(order)), nil
	if m.view {
		o.data, o.stride = rows.Base(), rows.Stride()
	} else {
		o.data = make([]byte, o.n*o.stride)
	}
	if !m.Exact() {
		o.residuals = make([]float32, o.n)
	}
	err := vectors.Ranges(threads, o.n, fillRows, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				o.take(i, m, int(order[i]))
			}
			return nil
		}
	})
	return &o, err
}

// take copies row j of m to row i.
func (o *Matrix) take(i int, m *Matrix, j int) {
	o.sums[i] = m.sums[j]
	if m.residuals != nil {
		o.residuals[i] = m.residuals[j]
	}
	if !o.view {
		copy(o.row(i), m.row(j))
	}
}

// Reach is the largest distance that, rounded to a float32 key, may be at most
// key: a distance one step above it may round down to it. It is for codes that are
// exact, whose distances are keys.
func Reach(key float32) uint32 {
	above := math.Nextafter32(key, float32(math.Inf(1)))
	if !(above < 1<<32) {
		return math.MaxUint32
	}
	return uint32(above)
}
