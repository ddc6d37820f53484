package living

import (
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/tail"
	"github.com/knng/knng/vectors"
)

// A Source is the live rows of a view, ascending, as a vectors.Source. It takes 4 bytes a row.
type Source struct {
	st   *state
	snap *snapshot
	base []uint32 // positions
	tail []uint32

	index sync.Once
	at    []uint32 // index of every ref, for Near; nil: the ref itself
}

func sourceOf(st *state, snap *snapshot) *Source {
	s := &Source{st: st, snap: snap}
	st.each(snap, func(_ uint64, p, at uint32) bool {
		if at != tail.NoRow {
			s.tail = append(s.tail, at)
		} else {
			s.base = append(s.base, p)
		}
		return true
	})
	return s
}

// Source returns the live rows of the view, which must stay open.
func (v *View) Source() *Source { return sourceOf(v.st, v.snap) }

// Memory returns the most bytes that the source takes: 4 a row, and for Near 4 more for every row that is or
// was there. The plan of a build of its rows must include them.
func (s *Source) Memory() int64 {
	return 4 * (int64(cap(s.base)) + int64(cap(s.tail)) + int64(s.st.positions()) + int64(s.snap.part.Len()))
}

// Names yields the ids of the rows, "" for a row without one. It ends early if one cannot be read, with the
// error in *failed.
func (s *Source) Names(failed *error) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range s.Len() {
			id, err := s.id(i)
			if err != nil {
				*failed = err
				return
			}
			if !yield(id) {
				return
			}
		}
	}
}

// ref returns where row i is: at position p of the base, or in the tail if at is not tail.NoRow.
func (s *Source) ref(i int) (p, at uint32) {
	if i < len(s.base) {
		return s.base[i], tail.NoRow
	}
	return 0, s.tail[i-len(s.base)]
}

// id returns the id of row i, "" if it has none.
func (s *Source) id(i int) (string, error) {
	p, at := s.ref(i)
	if at != tail.NoRow {
		return s.snap.part.ID(at), nil
	}
	return s.st.baseID(p)
}

// ID returns the id of row i, "" if it has none. Errors: ErrNoRow, ErrCorrupt.
func (s *Source) ID(i int) (string, error) {
	if i < 0 || i >= s.Len() {
		return "", fmt.Errorf("%w: %d, the source has %d rows, from 0", ErrNoRow, i, s.Len())
	}
	return s.id(i)
}

// Row returns the number of row i in the store. i must be below Len; otherwise it panics.
func (s *Source) Row(i int) store.Row {
	p, at := s.ref(i)
	if at != tail.NoRow {
		return store.Row(s.st.first + uint64(at))
	}
	return store.Row(s.st.base.rows.row(p))
}

// Len returns the number of rows.
func (s *Source) Len() int { return len(s.base) + len(s.tail) }

// Dim returns the dimension of the store.
func (s *Source) Dim() int { return s.st.dim }

// Type returns the type of the store.
func (s *Source) Type() vectors.Type { return s.st.typ }

// ReadRows copies rows, as vectors.Source requires. Errors: ErrNoRow for absent rows, ErrCorrupt,
// vectors.ErrFault.
func (s *Source) ReadRows(first int, dst []byte) error {
	r := newRowReader(s.st, s.snap)
	size := len(r.raw)
	if n := len(dst) / size; first < 0 || n > s.Len() || first > s.Len()-n {
		return fmt.Errorf("%w: %d rows from %d on, the source has %d", ErrNoRow, n, first, s.Len())
	}
	if rows := min(len(dst)/size, max(0, len(s.base)-first)); rows > 0 {
		whole, err := s.rawBase(first, dst[:rows*size], size)
		if err != nil {
			return err
		}
		if whole {
			first, dst = first+rows, dst[rows*size:]
		}
	}
	for i := 0; i < len(dst)/size; i++ {
		if err := r.read(s.ref(first + i)); err != nil {
			return err
		}
		copy(dst[i*size:], r.raw)
	}
	return nil
}

// rawRows is the number of rows that a goroutine copies at a time.
const rawRows = 1024

// rawBase copies rows of the base; whole is false if it does not have them as they were given. All cores
// copy: the rows are in another order there, so each copy waits for memory.
func (s *Source) rawBase(first int, dst []byte, size int) (whole bool, err error) {
	var scaled atomic.Bool
	err = vectors.Ranges(runtime.GOMAXPROCS(0), len(dst)/size, rawRows, func() func(from, to int) error {
		return func(from, to int) error {
			whole, err := s.st.base.s.RawAll(s.base[first+from:first+to], dst[from*size:to*size])
			if !whole {
				scaled.Store(true)
			}
			return err
		}
	})
	return !scaled.Load(), err
}

// Near appends the rows of the source in the list of one row, as indices of the source, and their keys.
// Several goroutines may call it. In a compaction the lists are only those of the base, which an integration
// before the compaction continues does not change. Errors: ErrNoRow, ErrCorrupt.
func (s *Source) Near(i uint32, near []uint32, keys []float32) ([]uint32, []float32, error) {
	if int64(i) >= int64(s.Len()) {
		return near, keys, fmt.Errorf("%w: %d, the source has %d rows, from 0", ErrNoRow, i, s.Len())
	}
	s.index.Do(s.makeIndex)
	from, fromKeys, base := len(near), len(keys), s.st.positions()
	var ref uint32
	if int(i) < len(s.base) {
		ref = s.base[i]
		var err error
		if near, keys, err = s.st.base.g.AppendKeyed(store.Row(ref), near, keys); err != nil {
			return near, keys, err
		}
	} else {
		ref = base + s.tail[int(i)-len(s.base)]
	}
	if l := s.snap.layer; l != nil {
		if at, ok := l.Lists.Find(ref); ok {
			to, more := l.Lists.At(at)
			near, keys = append(near, to...), append(keys, more...)
		}
	}
	if s.at == nil {
		return near, keys, nil
	}
	kept, keptKeys := near[:from], keys[:fromKeys]
	for j, to := range near[from:] {
		if at := s.at[to]; at != tail.NoRow {
			kept, keptKeys = append(kept, at), append(keptKeys, keys[fromKeys+j])
		}
	}
	return kept, keptKeys, nil
}

// makeIndex records the index of every ref. If all rows are of the base, and all rows of the base live, a ref
// is its own index.
func (s *Source) makeIndex() {
	base := s.st.positions()
	if len(s.base) == int(base) && len(s.tail) == 0 && s.snap.part.Len() == 0 {
		return
	}
	s.at = make([]uint32, int(base)+int(s.snap.part.Len()))
	for i := range s.at {
		s.at[i] = tail.NoRow
	}
	for i, p := range s.base {
		s.at[p] = uint32(i)
	}
	for i, at := range s.tail {
		s.at[base+at] = uint32(len(s.base) + i)
	}
}

// Name names the lists of Near: those of the base, after so many operations.
func (s *Source) Name() string {
	rows := uint32(0)
	if s.snap.layer != nil {
		rows = s.snap.layer.Rows
	}
	return fmt.Sprintf("%s after %d, %d", s.snap.man.Checksum, s.st.firstOp+uint64(s.snap.ops), rows)
}

// Shape returns the shape of the store.
func (s *Source) Shape() Shape { return Shape{s.st.dim, s.st.typ, s.st.metric, s.st.k} }
