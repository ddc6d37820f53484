package living

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"runtime"
	"sync"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/tail"
	"github.com/knng/knng/vectors"
)

// Content is a sum over rows, independent of their order: for each row the first 128 bits of SHA-256 over the
// length of its id as u32, the id, and the vector in the store's type, added modulo 2^128. Two stores with
// the same ids and vectors have the same Content, even if their rows are numbered differently.
type Content struct{ High, Low uint64 }

// String returns the 128 bits in hex.
func (c Content) String() string { return fmt.Sprintf("%016x%016x", c.High, c.Low) }

// Add returns the sum of two.
func (c Content) Add(d Content) Content {
	low, carry := bits.Add64(c.Low, d.Low, 0)
	high, _ := bits.Add64(c.High, d.High, carry)
	return Content{high, low}
}

// contentOf returns the Content of one row.
func contentOf(buf []byte, id string, vector []byte) (Content, []byte) {
	buf = binary.LittleEndian.AppendUint32(buf[:0], uint32(len(id)))
	buf = append(append(buf, id...), vector...)
	sum := sha256.Sum256(buf)
	return Content{binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])}, buf
}

// Content reads all live rows and returns their sum. A compaction, a merge and a backup do not change it.
// Cancelling ctx stops it. Errors: ErrCorrupt, ErrClosed, vectors.ErrFault, that of ctx.
func (v *View) Content(ctx context.Context) (sum Content, err error) {
	if !v.calls.Enter() {
		return sum, ErrClosed
	}
	defer v.calls.Leave()
	return v.Source().content(ctx, nil)
}

// contentRows is the number of rows that a goroutine sums up at a time.
const contentRows = 1024

// content returns the sum over the rows of a source. It adds their sizes to sizes, unless that is nil or the
// rows are not float32. All cores read them: one core takes a second for a few million rows.
func (s *Source) content(ctx context.Context, sizes *tail.Sizes) (sum Content, err error) {
	var mu sync.Mutex
	err = vectors.Ranges(runtime.GOMAXPROCS(0), s.Len(), contentRows, func() func(from, to int) error {
		r := newRowReader(s.st, s.snap)
		var buf []byte
		return func(from, to int) error {
			var some, one Content
			var sizesOfSome tail.Sizes
			for i := from; i < to; i++ {
				id, err := s.id(i)
				if err == nil {
					err = r.read(s.ref(i))
				}
				if err != nil {
					return err
				}
				one, buf = contentOf(buf, id, r.raw)
				some = some.Add(one)
				if sizes != nil && s.st.typ == vectors.Float32 {
					sizesOfSome.Add(r.raw)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			sum = sum.Add(some)
			if sizes != nil {
				sizes.Join(sizesOfSome)
			}
			return ctx.Err()
		}
	})
	return sum, err
}

// EachRow calls fn with the number, the id and the bytes of every live row, ascending. The
// bytes are valid during the call. An error of fn ends it and is returned. Errors: those of Content.
func (v *View) EachRow(ctx context.Context, fn func(row uint64, id string, vector []byte) error) error {
	if !v.calls.Enter() {
		return ErrClosed
	}
	defer v.calls.Leave()
	r := newRowReader(v.st, v.snap)
	var failed error
	v.st.each(v.snap, func(row uint64, p, at uint32) bool {
		if row%1024 == 0 && ctx.Err() != nil {
			failed = ctx.Err()
			return false
		}
		var id string
		if at != tail.NoRow {
			id = v.snap.part.ID(at)
		} else if id, failed = v.st.baseID(p); failed != nil {
			return false
		}
		if failed = r.read(p, at); failed == nil {
			failed = fn(row, id, r.raw)
		}
		return failed == nil
	})
	return failed
}

// A rowReader reads rows as they were given, in the store's type.
type rowReader struct {
	st     *state
	snap   *snapshot
	values []float32
	raw    []byte
}

func newRowReader(st *state, snap *snapshot) *rowReader {
	return &rowReader{st, snap, make([]float32, st.dim), make([]byte, st.dim*st.typ.Size())}
}

// read reads the row at a position, or in the tail, into r.raw.
func (r *rowReader) read(p, at uint32) (err error) {
	if at != tail.NoRow {
		copy(r.raw, r.snap.part.Row(at))
		return nil
	}
	if whole, err := r.st.base.s.Raw(store.Row(p), r.raw); whole || err != nil {
		return err
	}
	if r.values, err = r.st.vectorAt(r.snap, p, at, r.values); err != nil {
		return err
	}
	return vectors.Encode(r.st.typ, r.values, r.raw)
}
