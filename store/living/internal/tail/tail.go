// Package tail holds the rows of a living store that are not in the graph yet. A query is compared with each
// of them.
package tail

import (
	"sync/atomic"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// chunkRows is the number of rows that are stored next to each other.
const chunkRows = 1024

// NoRow is no row of the tail.
const NoRow = ^uint32(0)

// A Tail grows by one writer, while others read the rows that they know.
type Tail struct {
	space  *distance.Space // over rows as they are
	floats *distance.Space // over float32; nil if rows are packed bits
	typ    vectors.Type
	dim    int
	size   int
	scale  int // exponent: rows are compared multiplied by 2^scale
	alone  bool
	sizes  Sizes // of a tail without a graph
	chunks []*chunk
	rows   uint32
}

// Sizes are the sizes of rows of float32 (vectors.SizeOf).
type Sizes struct {
	some           bool
	least, largest int
}

// Add adds the size of a row. Rows of zeros have none.
func (s *Sizes) Add(row []byte) {
	e, ok := vectors.SizeOf(row)
	switch {
	case !ok:
	case !s.some:
		*s = Sizes{true, e, e}
	default:
		s.least, s.largest = min(s.least, e), max(s.largest, e)
	}
}

// Join adds the sizes of other rows.
func (s *Sizes) Join(other Sizes) {
	switch {
	case !other.some:
	case !s.some:
		*s = other
	default:
		s.least, s.largest = min(s.least, other.least), max(s.largest, other.largest)
	}
}

// squared is the largest size of a row whose square float32 holds; -squared is the smallest.
const squared = 63

// Bear reports whether float32 distinguishes the rows even with a row of another size among them: Scale makes
// rows at most a little smaller, or they differ little in size.
func (s Sizes) Bear(row []byte) bool {
	s.Add(row)
	return !s.some || s.largest <= vectors.MostSize || s.largest <= squared && s.least >= -squared || s.largest-s.least <= vectors.Span
}

// Fit reports whether rows can be multiplied by 2^exponent: distances of the largest do not overflow, and no
// others become too small.
func (s Sizes) Fit(exponent int) bool {
	return !s.some || s.largest+exponent <= vectors.MostSize && (exponent >= 0 || s.least+exponent >= vectors.LeastSize)
}

// Scale returns the exponent of the power of two that suits all rows.
func (s Sizes) Scale() int {
	if !s.some {
		return 0
	}
	return vectors.ScaleBetween(s.least, s.largest)
}

type chunk struct {
	data   []byte
	norms  []float64
	ids    [chunkRows]string
	before [chunkRows]uint32
	born   [chunkRows]uint32        // the operation that put the row, counted from 1
	dead   [chunkRows]atomic.Uint32 // the operation that ended the row, counted from 1; 0 while it lives
}

// New makes an empty tail of rows that are compared by a metric, multiplied by 2^scale.
func New(metric distance.Metric, typ vectors.Type, dim, scale int) (*Tail, error) {
	t := &Tail{typ: typ, dim: dim, size: dim * typ.Size(), scale: scale}
	var err error
	if t.space, err = distance.New(metric, typ, dim); err != nil {
		return nil, err
	}
	if !metric.Bits() {
		t.floats, err = distance.New(metric, vectors.Float32, dim)
	}
	return t, err
}

// Alone makes an empty tail for a store without a graph, whose scale it would use. Rows of float32 are then
// multiplied by a power of two that each query chooses by the sizes of all rows that it is compared with, so
// keys of different queries are not comparable.
func Alone(metric distance.Metric, typ vectors.Type, dim int) (*Tail, error) {
	t, err := New(metric, typ, dim, 0)
	if err == nil {
		t.alone = typ == vectors.Float32 && !metric.Bits()
	}
	return t, err
}

// Add adds a row with an operation, counted from 1, and the earlier row with the same id, or NoRow.
func (t *Tail) Add(id string, vector []byte, before, op uint32) {
	at := int(t.rows % chunkRows)
	if at == 0 {
		c := &chunk{data: make([]byte, chunkRows*t.size)}
		if t.space.NeedsNorms() {
			c.norms = make([]float64, chunkRows)
		}
		t.chunks = append(t.chunks, c)
	}
	c := t.chunks[len(t.chunks)-1]
	copy(c.data[at*t.size:], vector)
	if c.norms != nil {
		c.norms[at] = t.norm(vector)
	}
	if t.alone {
		t.sizes.Add(vector)
	}
	c.ids[at], c.before[at], c.born[at] = id, before, op
	t.rows++
}

// Compares reports whether a row has distances: cosine and correlation divide by its norm.
func (t *Tail) Compares(row []byte) bool { return !t.space.NeedsNorms() || t.norm(row) != 0 }

// norm returns the norm of a row in the form in which it is compared.
func (t *Tail) norm(vector []byte) float64 {
	if t.scale == 0 {
		return t.space.Norm(vector)
	}
	values := make([]float32, t.dim)
	t.values(vector, values, t.scale)
	return t.floats.Norm(bytesOf(values))
}

// values returns the elements of a row in the form in which it is compared.
func (t *Tail) values(row []byte, dst []float32, scale int) {
	t.space.Float32(row, dst)
	if scale != 0 {
		for i, x := range dst {
			dst[i] = vectors.Scale(x, scale)
		}
	}
}

// A Part is the first rows of a tail, as they were after some operations.
type Part struct {
	*Tail
	chunks []*chunk
	sizes  Sizes
	rows   uint32
	ops    uint32
}

// Sizes returns the sizes of all rows of a tail without a graph.
func (p Part) Sizes() Sizes { return p.sizes }

// After returns all rows so far, as they are after so many operations.
func (t *Tail) After(ops uint32) Part { return Part{t, t.chunks, t.sizes, t.rows, ops} }

// Cut returns the first rows of a part, as they were after fewer operations.
func (p Part) Cut(rows, ops uint32) Part {
	p.rows, p.ops = rows, ops
	return p
}

// Len returns the number of rows, including dead ones.
func (p Part) Len() uint32 { return p.rows }

// Kill ends a row with an operation, counted from 1.
func (t *Tail) Kill(row, op uint32) { t.chunks[row/chunkRows].dead[row%chunkRows].Store(op) }

// Live reports whether a row lives.
func (p Part) Live(row uint32) bool {
	if row >= p.rows {
		return false
	}
	op := p.chunks[row/chunkRows].dead[row%chunkRows].Load()
	return op == 0 || op > p.ops
}

// ID returns the id of a row.
func (p Part) ID(row uint32) string { return p.chunks[row/chunkRows].ids[row%chunkRows] }

// Born returns the operation that put a row, counted from 1.
func (p Part) Born(row uint32) uint32 { return p.chunks[row/chunkRows].born[row%chunkRows] }

// Before returns the earlier row with the id of a row.
func (p Part) Before(row uint32) uint32 { return p.chunks[row/chunkRows].before[row%chunkRows] }

// Row returns the bytes of a row.
func (p Part) Row(row uint32) []byte {
	return p.chunks[row/chunkRows].data[int(row%chunkRows)*p.size:][:p.size]
}

// Decode converts a row to float32, as it was given.
func (t *Tail) Decode(row []byte, dst []float32) { t.space.Float32(row, dst) }
