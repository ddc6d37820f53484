package vectors

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// Rows is a matrix in memory or mapped: the store's own rows, or a source file
// whose rows stand at a constant stride. Safe for concurrent reading.
type Rows struct {
	data   []byte // row i begins at data[i*stride]
	stride int
	n, dim int
	typ    Type
	name   string
	m      *mapping // nil for rows in memory, and for a view
	under  *mapping // of what a view is; it is not closed with the view
}

// RowsOf wraps rows held in memory: row i is data[i*stride:i*stride+dim*size].
// The slice is kept.
func RowsOf(data []byte, n, dim, stride int, t Type) (*Rows, error) {
	size := dim * t.Size()
	switch {
	case t.Size() == 0:
		return nil, fmt.Errorf("vectors: unknown element type %d", t)
	case dim < 1 || dim > MaxDim:
		return nil, fmt.Errorf("vectors: dimension %d, want 1 to %d", dim, MaxDim)
	case n < 0 || stride < size:
		return nil, fmt.Errorf("vectors: %d rows of %d bytes at a stride of %d", n, size, stride)
	case n > 0 && (len(data)-size)/stride < n-1 || n > 0 && len(data) < size:
		return nil, fmt.Errorf("vectors: %d bytes hold no %d rows at a stride of %d", len(data), n, stride)
	}
	return &Rows{data: data, stride: stride, n: n, dim: dim, typ: t, name: "memory"}, nil
}

// Len is the number of rows.
func (r *Rows) Len() int { return r.n }

// Dim is the number of elements of a row.
func (r *Rows) Dim() int { return r.dim }

// Type is the element type.
func (r *Rows) Type() Type { return r.typ }

// Stride is the distance in bytes between the beginnings of consecutive rows.
func (r *Rows) Stride() int { return r.stride }

// Head is the first n rows, 0 to Len. It shares the mapping: closing either
// closes both.
func (r *Rows) Head(n int) *Rows {
	head := *r
	head.n = min(n, r.n)
	return &head
}

// Base returns the bytes of all rows; row i begins at i*Stride().
func (r *Rows) Base() []byte { return r.data }

// Row returns the bytes of row i.
func (r *Rows) Row(i int) []byte {
	return r.data[i*r.stride : i*r.stride+r.dim*r.typ.Size()]
}

// ReadRows makes Rows a Source.
func (r *Rows) ReadRows(first int, dst []byte) error {
	size := r.dim * r.typ.Size()
	n := len(dst) / size
	if first < 0 || n > r.n-first || n*size != len(dst) {
		return fmt.Errorf("vectors: %s: rows %d to %d asked, it has %d", r.name, first, first+n, r.n)
	}
	if err := r.mapping().open(); err != nil {
		return err
	}
	err := guard(func() {
		if r.stride == size {
			copy(dst, r.data[first*size:])
			return
		}
		for i := range n {
			copy(dst[i*size:(i+1)*size], r.Row(first+i))
		}
	})
	if err != nil {
		return fmt.Errorf("%w: %s, rows %d to %d", err, r.name, first, first+n)
	}
	return nil
}

// Advice is an access pattern.
type Advice uint8

// Access patterns.
const (
	Normal Advice = iota
	Sequential
	Random
	unneeded // for now: its pages are no longer counted as this process's
)

// Advise tells the system how a mapping will be read. It is a hint; where the
// system takes none, and for rows in memory, it does nothing.
func (r *Rows) Advise(a Advice) error {
	if r.m == nil {
		return nil
	}
	return advise(r.m.data, a)
}

// WillNeed asks the system to read rows from up to to, as far as there are so many,
// without waiting for them. It is a hint, as Advise is.
func (r *Rows) WillNeed(from, to int) error {
	m, first, end := r.asked(from, to)
	if m == nil {
		return nil
	}
	return (&MappedFile{m}).WillNeed(first, end)
}

// mapping is the mapping that the rows are in, or nil.
func (r *Rows) mapping() *mapping { return cmp.Or(r.m, r.under) }

// asked is where rows from up to to stand in a mapping: nil where they stand in none.
func (r *Rows) asked(from, to int) (m *mapping, first, end int) {
	m = r.mapping()
	if to = min(to, r.n); m == nil || from >= to {
		return nil, 0, 0
	}
	base := int(uintptr(unsafe.Pointer(unsafe.SliceData(r.data))) - uintptr(unsafe.Pointer(unsafe.SliceData(m.data))))
	return m, base + from*r.stride, base + to*r.stride
}

// Close unmaps the rows.
func (r *Rows) Close() error {
	if r.m == nil {
		return nil
	}
	r.data = nil
	return r.m.close()
}

// The header of a row file; see the package comment.
const (
	rowsMagic   = "KNNGROWS"
	rowsVersion = 1
	rowsHeader  = 4096
	rowsSummed  = 32 // bytes of the header under its checksum
)

func encodeHeader(n, dim int, t Type) []byte {
	h := make([]byte, rowsHeader)
	copy(h, rowsMagic)
	binary.LittleEndian.PutUint32(h[8:], rowsVersion)
	binary.LittleEndian.PutUint32(h[12:], uint32(t))
	binary.LittleEndian.PutUint64(h[16:], uint64(n))
	binary.LittleEndian.PutUint64(h[24:], uint64(dim))
	binary.LittleEndian.PutUint64(h[32:], xxhash.Sum64(h[:rowsSummed]))
	return h
}

// OpenRows maps a row file. It checks the header, its checksum and the size of
// the file before it believes anything.
func OpenRows(path string) (*Rows, error) {
	m, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	return mappedRows(m)
}

// OpenedRows is OpenRows of an open regular file, which may be closed afterwards. Errors
// call it path.
func OpenedRows(f *os.File, path string) (*Rows, error) {
	m, err := mapOpened(f, path)
	if err != nil {
		return nil, err
	}
	return mappedRows(m)
}

// mappedRows are the rows of a mapped file, which they close.
func mappedRows(m *mapping) (*Rows, error) {
	r, err := rowsIn(m)
	if err != nil {
		m.close()
		return nil, fmt.Errorf("vectors: %s: %w", m.path, err)
	}
	return r, nil
}

func rowsIn(m *mapping) (*Rows, error) {
	if m.size < rowsHeader {
		return nil, fmt.Errorf("%d bytes, too short for a row file, whose header has %d", m.size, rowsHeader)
	}
	h := m.data[:rowsHeader]
	if string(h[:8]) != rowsMagic {
		return nil, fmt.Errorf("begins with %q, want %q: not a row file", h[:8], rowsMagic)
	}
	if v := binary.LittleEndian.Uint32(h[8:]); v != rowsVersion {
		return nil, fmt.Errorf("row file version %d, want %d", v, rowsVersion)
	}
	if got, want := binary.LittleEndian.Uint64(h[32:]), xxhash.Sum64(h[:rowsSummed]); got != want {
		return nil, fmt.Errorf("header checksum %016x at byte 32, want %016x", got, want)
	}
	t := Type(binary.LittleEndian.Uint32(h[12:]))
	n, dim := binary.LittleEndian.Uint64(h[16:]), binary.LittleEndian.Uint64(h[24:])
	if t.Size() == 0 || dim < 1 || dim > MaxDim {
		return nil, fmt.Errorf("header says %d elements of %v a row", dim, t)
	}
	row := dim * uint64(t.Size())
	if n > uint64(m.size)/row || rowsHeader+n*row != uint64(m.size) {
		return nil, fmt.Errorf("%d bytes, want %d + %d rows of %d", m.size, rowsHeader, n, row)
	}
	return &Rows{data: m.data[rowsHeader:], stride: int(row), n: int(n), dim: int(dim), typ: t, name: m.path, m: m}, nil
}
