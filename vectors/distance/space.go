package distance

import (
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/internal/simd"
)

// A Space binds a metric to rows of one type and dimension. It is immutable
// and safe for concurrent use.
//
// Norms: under cosine and correlation every call needs the norms of the rows involved; the
// caller computes them once per row with Norm and passes them in. Under the
// other metrics norms are ignored and may be nil or zero.
//
// Rows are given as raw bytes, dim*Type.Size() of them; a longer slice is cut.
type Space struct {
	metric Metric
	typ    vectors.Type
	dim    int
	kernel *simd.Kernel

	byPairs bool // no kernel computes the metric: Go does, pair by pair

	ints   simd.Ints   // for integer rows: the metric's sum
	floats simd.Floats // for float rows
	wide   simd.Floats // for rows that are widened to float32 first, of a metric of pairs; nil: Go computes them
	along  simd.Floats // a float32 direction against rows of this type
}

// New returns the space of a metric over rows of dim elements of type t. It
// fails where KNNG_KERNEL asks for a kernel that this machine lacks.
func New(m Metric, t vectors.Type, dim int) (*Space, error) {
	kernel, err := simd.Choose()
	switch {
	case err != nil:
		return nil, fmt.Errorf("distance: %w", err)
	case !m.Known():
		return nil, fmt.Errorf("distance: unknown metric %d", m)
	case m.Bits() && t != vectors.Uint8:
		return nil, fmt.Errorf("distance: %v compares packed bits, whose rows are uint8, not %v: pack them by numpy.packbits", m, t)
	case dim < 1 || dim > vectors.MaxDim:
		return nil, fmt.Errorf("distance: dimension %d, want 1 to %d", dim, vectors.MaxDim)
	}
	return over(kernel, m, t, dim)
}

// over binds a space to one kernel's functions.
func over(k *simd.Kernel, m Metric, t vectors.Type, dim int) (*Space, error) {
	s := &Space{metric: m, typ: t, dim: dim, kernel: k}
	p := m.of()
	s.byPairs = p.pair != nil || p.sets != nil
	if p.floats != nil {
		s.wide = p.floats(k)
	}
	squared := m.Squares()
	switch t {
	case vectors.Uint8:
		s.along, s.ints = k.DotF32U8, k.DotU8
		switch {
		case squared:
			s.ints = k.SquaredU8
		case p.sets != nil && k.Differ != nil:
			s.ints, s.byPairs = k.Differ, false
		}
	case vectors.Int8:
		s.along, s.ints = k.DotF32I8, k.DotI8
		if squared {
			s.ints = k.SquaredI8
		}
	case vectors.Float16:
		s.along, s.floats = k.DotF32F16, k.DotF16
		if squared {
			s.floats = k.SquaredF16
		}
	case vectors.Float32:
		s.along, s.floats = k.DotF32, k.DotF32
		if squared {
			s.floats = k.SquaredF32
		}
		if s.wide != nil {
			s.floats, s.byPairs = s.wide, false
		}
	default:
		return nil, fmt.Errorf("distance: unknown element type %d", t)
	}
	return s, nil
}

// Kernel names the instruction set in use: amx, avx512, avx512-f32,
// avxvnni, avx2, neon or go.
func Kernel() string {
	k, err := simd.Choose()
	if err != nil {
		return "none"
	}
	return k.Name
}

// Kernels names the instruction sets that this machine can run, best first, one of which
// KNNG_KERNEL may ask for. The last is go.
func Kernels() []string { return simd.Names() }

// Metric returns the metric.
func (s *Space) Metric() Metric { return s.metric }

// NeedsNorms reports whether Key and Keys need norms (cosine, correlation).
func (s *Space) NeedsNorms() bool { return s.metric.of().norms }

// Norm returns norm(x) of the package comment.
func (s *Space) Norm(x []byte) float64 {
	s.check(x, 0, []uint32{0})
	if s.metric.of().moved {
		return s.movedNorm(x)
	}
	zero := [1]uint32{}
	var exact [1]uint32
	var sum [1]float64
	switch s.typ {
	case vectors.Uint8:
		s.kernel.DotU8(x, x, 0, s.dim, zero[:], exact[:])
		return math.Sqrt(float64(exact[0]))
	case vectors.Int8:
		s.kernel.DotI8(x, x, 0, s.dim, zero[:], exact[:])
		return math.Sqrt(float64(exact[0]))
	case vectors.Float16:
		s.kernel.DotF16(x, x, 0, s.dim, zero[:], sum[:])
	default:
		s.kernel.DotF32(x, x, 0, s.dim, zero[:], sum[:])
	}
	return math.Sqrt(sum[0])
}

// Key returns the key of rows x and y. Key(x,y) == Key(y,x) to the bit.
func (s *Space) Key(x, y []byte, normX, normY float64) float32 {
	norms := [1]float64{normY}
	var out [1]float32
	s.Keys(x, normX, y, 0, norms[:], []uint32{0}, out[:])
	return out[0]
}

// chunk is how many float64 sums are held between a kernel and the conversion to
// keys: 2 KB.
const chunk = 256

// sums are the buffers of float kernels. They are pooled, since arguments of a
// function value escape to the heap.
var sums = sync.Pool{New: func() any { return new([chunk]float64) }}

// Keys sets out[j] to the key of x and row ids[j] of base for every j, where
// row r of base begins at base[r*stride]. norms[r] is the norm of row r
// (ignored unless NeedsNorms). len(out) >= len(ids). It allocates nothing and
// reads nothing outside the rows named.
func (s *Space) Keys(x []byte, normX float64, base []byte, stride int, norms []float64, ids []uint32, out []float32) {
	s.check(base, stride, ids)
	x, out = x[:s.dim*s.typ.Size()], out[:len(ids)]
	switch {
	case s.byPairs:
		s.pairwise(x, base, stride, ids, out)
		return
	case s.metric.of().moved:
		s.movedKeys(x, normX, base, stride, norms, ids, out)
		return
	}
	if s.ints != nil {
		// The sums are as wide as the keys: they are converted in place.
		raw := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(out))), len(ids))
		s.ints(x, base, stride, s.dim, ids, raw)
		if s.metric.of().shares {
			s.sharesOf(x, base, stride, ids, raw, out)
			return
		}
		s.fromInts(raw, normX, norms, ids, out)
		return
	}
	buf := sums.Get().(*[chunk]float64)
	for len(ids) > 0 {
		n := min(len(ids), chunk)
		s.floats(x, base, stride, s.dim, ids[:n], buf[:n])
		s.fromFloats(buf[:n], normX, norms, ids[:n], out[:n])
		ids, out = ids[n:], out[n:]
	}
	sums.Put(buf)
}

func (s *Space) fromInts(sums []uint32, normX float64, norms []float64, ids []uint32, out []float32) {
	switch {
	case s.metric == Cosine && s.typ == vectors.Int8:
		for j, v := range sums {
			out[j] = cosine(float64(int32(v)), normX, norms[ids[j]])
		}
	case s.metric == Cosine:
		for j, v := range sums {
			out[j] = cosine(float64(v), normX, norms[ids[j]])
		}
	case s.metric == IP && s.typ == vectors.Int8:
		for j, v := range sums {
			out[j] = 0 - float32(int32(v))
		}
	case s.metric == IP:
		for j, v := range sums {
			out[j] = 0 - float32(v)
		}
	default:
		for j, v := range sums {
			out[j] = float32(v)
		}
	}
}

func (s *Space) fromFloats(sums []float64, normX float64, norms []float64, ids []uint32, out []float32) {
	switch s.metric {
	case Cosine:
		for j, v := range sums {
			out[j] = cosine(v, normX, norms[ids[j]])
		}
	case IP:
		for j, v := range sums {
			out[j] = float32(0 - v)
		}
	default:
		for j, v := range sums {
			out[j] = float32(v)
		}
	}
}

// cosine is the key under cosine. The conversions forbid fusing.
func cosine(dot, normX, normY float64) float32 {
	ratio := float64(dot / float64(normX*normY))
	return float32(min(max(1-ratio, 0), 2))
}

// Block sets out[i*len(ys)+j] to the key of rows xs[i] and ys[j] of base: the
// same bits as Keys, for leaves, where many rows meet many.
func (s *Space) Block(base []byte, stride int, norms []float64, xs, ys []uint32, out []float32) {
	for i, x := range xs {
		var norm float64
		if s.NeedsNorms() {
			norm = norms[x]
		}
		s.Keys(base[int(x)*stride:], norm, base, stride, norms, ys, out[i*len(ys):])
	}
}

// Dot sets out[j] to dot(v, row ids[j] of base) of the package comment's float
// rule, for a float32 direction v of dim elements: the projection of hyperplane
// dividers. Integer elements are converted to float32, exactly.
func (s *Space) Dot(v []float32, base []byte, stride int, ids []uint32, out []float64) {
	s.check(base, stride, ids)
	s.along(bytesOf(v[:s.dim]), base, stride, s.dim, ids, out[:len(ids)])
}

// Float32 converts a row to float32 elements, dst having dim elements.
func (s *Space) Float32(row []byte, dst []float32) { vectors.Decode(s.typ, row, dst[:s.dim]) }

// Centered is Float32 for the row from which products and norms are computed: under Correlation the row
// less its mean, each element rounded to float32 once; else the row itself.
func (s *Space) Centered(row []byte, dst []float32) {
	dst = dst[:s.dim]
	vectors.Decode(s.typ, row, dst)
	if !s.metric.of().moved {
		return
	}
	center := mean(dst)
	for i, x := range dst {
		dst[i] = float32(float64(x) - center)
	}
}

// check panics if a row lies outside base, since kernels do not check.
func (s *Space) check(base []byte, stride int, ids []uint32) {
	var last uint32
	for _, id := range ids {
		last = max(last, id)
	}
	if len(ids) > 0 {
		_ = base[int(last)*stride:][:s.dim*s.typ.Size()]
	}
}

// bytesOf views float32 as the raw rows that kernels read.
func bytesOf(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}
