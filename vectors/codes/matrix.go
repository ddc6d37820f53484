package codes

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/internal/simd"
)

// MaxDim is the largest dimension whose distances fit 32 bits.
const MaxDim = vectors.MaxDim

// Matrix holds n rows of codes.
type Matrix struct {
	n, stride int
	groups    int // of four elements, the last one padded with zeros
	data      []byte
	sums      []sums
	kernel    *simd.Codes
	own       int64
	exact     bool
}

// sums are what turns the tile's products into distances: see package simd.
type sums struct {
	norm uint32 // sum of squares
	add  uint32 // norm less 256 times the sum of the codes
}

// Of returns the codes of rows: views of them where they are codes and their
// length is a multiple of four, copies otherwise. A view lives as long as rows.
func Of(rows *vectors.Rows, space *distance.Space, r Rounding, threads int) (*Matrix, error) {
	kernel, err := simd.Choose()
	if err != nil {
		return nil, fmt.Errorf("codes: %w", err)
	}
	if len(r.Offsets) != 0 && len(r.Offsets) != rows.Dim() {
		return nil, fmt.Errorf("codes: rounding of %d dimensions for rows of %d", len(r.Offsets), rows.Dim())
	}
	dim := rows.Dim()
	m := &Matrix{n: rows.Len(), groups: (dim + 3) / 4, kernel: kernel.Codes, exact: len(r.Offsets) == 0}
	m.sums = make([]sums, m.n)
	m.own = 8 * int64(m.n)
	view := rows.Type() == vectors.Uint8 && len(r.Offsets) == 0 && dim%4 == 0
	if view {
		m.data, m.stride = rows.Base(), rows.Stride()
	} else {
		m.stride = 4 * m.groups
		m.data = make([]byte, m.n*m.stride)
		m.own += int64(len(m.data))
	}
	m.fill(rows, space, r, view, threads)
	return m, nil
}

// Len is the number of rows.
func (m *Matrix) Len() int { return m.n }

// Exact reports whether distances of codes are the squared distances of rows.
func (m *Matrix) Exact() bool { return m.exact }

// Bytes is the memory that the matrix holds beyond the rows given.
func (m *Matrix) Bytes() int64 { return m.own }

// fillRows is how many rows a goroutine takes at a time.
const fillRows = 4096

// fill computes codes, unless they are there, and their sums.
func (m *Matrix) fill(rows *vectors.Rows, space *distance.Space, r Rounding, view bool, threads int) {
	var g sync.WaitGroup
	var next atomic.Int64
	for range max(threads, 1) {
		g.Go(func() {
			read := newReader(rows, space, r.Unit)
			for {
				from := int(next.Add(fillRows)) - fillRows
				if from >= m.n {
					return
				}
				for i := from; i < min(from+fillRows, m.n); i++ {
					if !view {
						m.encode(i, rows, read, &r)
					}
					m.sum(i)
				}
			}
		})
	}
	g.Wait()
}

func (m *Matrix) encode(i int, rows *vectors.Rows, read *reader, r *Rounding) {
	dst := m.row(i)
	switch {
	case len(r.Offsets) > 0:
		r.round(read.read(i), dst)
	case rows.Type() == vectors.Int8:
		for j, x := range rows.Row(i) {
			dst[j] = x ^ 0x80 // distances do not change
		}
	default:
		copy(dst, rows.Row(i))
	}
}

func (m *Matrix) sum(i int) {
	var sum, squares uint32
	for _, x := range m.row(i) {
		sum += uint32(x)
		squares += uint32(x) * uint32(x)
	}
	m.sums[i] = sums{squares, squares - 256*sum}
}

func (m *Matrix) row(i int) []byte { return m.data[i*m.stride : i*m.stride+4*m.groups] }

// at is where row i begins; it panics where i is no row.
func (m *Matrix) at(i uint32) *byte {
	_ = m.sums[i]
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(m.data)), int(i)*m.stride))
}

// Distance returns the distance of two rows, slowly.
func (m *Matrix) Distance(a, b uint32) uint32 {
	var sum uint32
	y := m.row(int(b))
	for i, x := range m.row(int(a)) {
		d := int32(x) - int32(y[i])
		sum += uint32(d * d)
	}
	return sum
}

// Reach is the largest distance that, rounded to a float32 key, may be at most
// key: a distance one step above it may round down to it.
func Reach(key float32) uint32 {
	above := math.Nextafter32(key, float32(math.Inf(1)))
	if !(above < 1<<32) {
		return math.MaxUint32
	}
	return uint32(above)
}
