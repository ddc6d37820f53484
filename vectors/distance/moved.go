package distance

import (
	"math"
	"sync"
	"unsafe"

	"github.com/knng/knng/vectors"
)

// Keys under correlation: a kernel computes the products of float32 rows less their means; rows of
// other types are widened one by one.

// moved is one call's room. It is pooled, since arguments of a function value escape to the heap.
type moved struct {
	x    []float64 // a row less its mean, with zeros up to a multiple of 16
	row  []float32
	sums [chunk]float64
	zero [1]uint32
}

var movedRooms = sync.Pool{New: func() any { return new(moved) }}

// place decodes a row to row, and to x less its mean.
func (s *Space) place(r *moved, x []byte) {
	if cap(r.row) < s.dim {
		r.row, r.x = make([]float32, s.dim), make([]float64, (s.dim+15)/16*16)
	}
	r.row, r.x = r.row[:s.dim], r.x[:(s.dim+15)/16*16]
	vectors.Decode(s.typ, x[:s.dim*s.typ.Size()], r.row)
	center := mean(r.row)
	for i, v := range r.row {
		r.x[i] = float64(v) - center
	}
	clear(r.x[s.dim:])
}

// productWith is the product of the row in x and another, each less its mean.
func (s *Space) productWith(r *moved, row []float32) float64 {
	s.kernel.MovedF32(doublesOf(r.x), bytesOf(row), 0, s.dim, r.zero[:], r.sums[:1])
	return r.sums[0]
}

// movedNorm is the norm of a row less its mean.
func (s *Space) movedNorm(x []byte) float64 {
	r := movedRooms.Get().(*moved)
	s.place(r, x)
	norm := math.Sqrt(s.productWith(r, r.row))
	movedRooms.Put(r)
	return norm
}

// movedKeys is Keys under correlation.
func (s *Space) movedKeys(x []byte, normX float64, base []byte, stride int, norms []float64, ids []uint32, out []float32) {
	r := movedRooms.Get().(*moved)
	s.place(r, x)
	for len(ids) > 0 {
		n := min(len(ids), chunk)
		if s.typ == vectors.Float32 {
			s.kernel.MovedF32(doublesOf(r.x), base, stride, s.dim, ids[:n], r.sums[:n])
			s.movedCosines(r.sums[:n], normX, norms, ids, out)
		} else {
			for j, id := range ids[:n] {
				vectors.Decode(s.typ, base[int(id)*stride:][:s.dim*s.typ.Size()], r.row)
				out[j] = cosine(s.productWith(r, r.row), normX, norms[id])
			}
		}
		ids, out = ids[n:], out[n:]
	}
	movedRooms.Put(r)
}

func (s *Space) movedCosines(sums []float64, normX float64, norms []float64, ids []uint32, out []float32) {
	for j, v := range sums {
		out[j] = cosine(v, normX, norms[ids[j]])
	}
}

// doublesOf views float64 as the raw row that kernels read.
func doublesOf(x []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 8*len(x))
}
