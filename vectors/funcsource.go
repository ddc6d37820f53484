package vectors

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
)

// FromFunc makes a source of n float32 rows that a program computes, or reads from a
// place of its own: read fills dst, of dim elements, with row i. It may be called by
// several goroutines at once, for any row and more than once, and must give the same
// elements every time: a build that copies others than it audited ends with store.ErrMismatch.
func FromFunc(n, dim int, read func(i int, dst []float32) error) (Source, error) {
	if n < 0 || n > MaxRows || dim < 1 || dim > MaxDim {
		return nil, fmt.Errorf("vectors: %d rows of %d, want at most %d of 1 to %d", n, dim, MaxRows, MaxDim)
	}
	return &funcSource{n: n, dim: dim, read: read}, nil
}

type funcSource struct {
	n, dim int
	read   func(i int, dst []float32) error
	rows   sync.Pool // of *[]float32
}

func (s *funcSource) Len() int   { return s.n }
func (s *funcSource) Dim() int   { return s.dim }
func (s *funcSource) Type() Type { return Float32 }

func (s *funcSource) ReadRows(first int, dst []byte) error {
	size := 4 * s.dim
	if len(dst)%size != 0 || first < 0 || first+len(dst)/size > s.n {
		return fmt.Errorf("vectors: %d bytes from row %d on, want rows of %d bytes below row %d", len(dst), first, size, s.n)
	}
	row, ok := s.rows.Get().(*[]float32)
	if !ok {
		made := make([]float32, s.dim)
		row = &made
	}
	defer s.rows.Put(row)
	for i := first; len(dst) > 0; i, dst = i+1, dst[size:] {
		if err := s.read(i, *row); err != nil {
			return fmt.Errorf("vectors: row %d: %w", i, err)
		}
		for j, x := range *row {
			binary.LittleEndian.PutUint32(dst[4*j:], math.Float32bits(x))
		}
	}
	return nil
}
