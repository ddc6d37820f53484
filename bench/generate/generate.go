// Package generate makes rows for measurements that need more of them than any
// public set in the repository's reach has: seeded, of any number, and as hard
// for a k-NN graph as descriptors of images are.
//
// # The rows
//
// Rows lie near 16 curved manifolds, 24 parameters each, in as many dimensions as
// are asked for. On every manifold 8 clumps of unequal weight and width overlap,
// so density varies and hubs arise. A row is
//
//	x = center + M u,  u = (a_0 t_0, ..., a_23 t_23, c t_0 t_12, ..., c t_11 t_23)
//
// with t drawn from a clump, amplitudes a falling from 1 to 0.4, and M a random
// matrix of its manifold. The products bend: no linear map flattens a manifold.
// How many dimensions neighbors see is measured, not claimed: see [Estimate].
//
// # Prefixes
//
// Row i depends on the seed, the dimension, and i: the rows of a smaller set are
// the first of a larger one, and any range is made without those before it. The
// arithmetic is rounded after every operation, so machines agree.
package generate

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/knng/knng/vectors"
)

// MaxRows is the most rows that a set may have.
const MaxRows = 100_000_000

// Rows is a matrix that is computed as it is read: a vectors.Source that takes no
// memory but its model's. Safe for concurrent reading.
type Rows struct {
	n, dim int
	typ    vectors.Type
	model  *model
}

// New describes n rows of dim elements of type t, which is not Int8. uint8 rows
// are centered at 128.
func New(n, dim int, t vectors.Type, seed uint64) (*Rows, error) {
	switch {
	case n < 1 || n > MaxRows:
		return nil, fmt.Errorf("generate: %d rows, want 1 to %d", n, MaxRows)
	case dim < 1 || dim > vectors.MaxDim:
		return nil, fmt.Errorf("generate: dimension %d, want 1 to %d", dim, vectors.MaxDim)
	case t != vectors.Uint8 && t != vectors.Float16 && t != vectors.Float32:
		return nil, fmt.Errorf("generate: type %v, want uint8, float16 or float32", t)
	}
	return &Rows{n, dim, t, newModel(dim, seed)}, nil
}

// Len is the number of rows.
func (r *Rows) Len() int { return r.n }

// Dim is the number of elements of a row.
func (r *Rows) Dim() int { return r.dim }

// Type is the element type.
func (r *Rows) Type() vectors.Type { return r.typ }

// ReadRows computes rows first, first+1, ... into dst, on all processors.
func (r *Rows) ReadRows(first int, dst []byte) error {
	size := r.dim * r.typ.Size()
	n := len(dst) / size
	if len(dst)%size != 0 || first < 0 || first > r.n-n {
		return fmt.Errorf("generate: %d bytes from row %d on of %d rows of %d bytes", len(dst), first, r.n, size)
	}
	return vectors.Ranges(runtime.GOMAXPROCS(0), n, max(1, n/8), func() func(from, to int) error {
		x := make([]float32, r.dim)
		return func(from, to int) error {
			for i := from; i < to; i++ {
				r.model.row(uint64(first+i), x)
				if err := r.encode(x, dst[i*size:(i+1)*size]); err != nil {
					return fmt.Errorf("generate: row %d: %w", first+i, err)
				}
			}
			return nil
		}
	})
}

// encode converts a row, whose elements have a variance of about 1.
func (r *Rows) encode(x []float32, dst []byte) error {
	if r.typ != vectors.Uint8 {
		return vectors.Encode(r.typ, x, dst)
	}
	for i, v := range x {
		dst[i] = byte(min(max(int32(float32(v*32)+128.5), 0), 255))
	}
	return nil
}

// Write writes all rows to a file whose format its name ends with (.u8bin, .fbin,
// .npy, ...), in order, holding a megabyte of them. If it is interrupted there is no
// file.
func (r *Rows) Write(ctx context.Context, path string) error {
	w, err := vectors.Create(path, r.typ, r.dim)
	if err != nil {
		return err
	}
	if err := vectors.Convert(w, &interruptible{r, ctx}, nil); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}

// interruptible ends with its context.
type interruptible struct {
	*Rows
	ctx context.Context
}

func (r *interruptible) ReadRows(first int, dst []byte) error {
	if err := context.Cause(r.ctx); err != nil {
		return err
	}
	return r.Rows.ReadRows(first, dst)
}
