package sparse

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

const (
	magic     = "KNNGSPAR"
	version   = 1
	headBytes = 64
	tailBytes = 32
)

// MaxColumns bounds the columns of a matrix: an index holds 4 bytes and more for each.
const MaxColumns = 1 << 28

// Writer writes a file of rows to a stream.
type Writer struct {
	to      io.Writer
	columns int
	starts  []uint64
	buf     []byte
}

// NewWriter begins a file of rows of so many columns.
func NewWriter(to io.Writer, columns int) (*Writer, error) {
	head := make([]byte, headBytes)
	copy(head, magic)
	binary.LittleEndian.PutUint32(head[8:], version)
	_, err := to.Write(head)
	return &Writer{to: to, columns: columns, starts: []uint64{0}}, err
}

// Add writes the next row: ascending columns, and their values.
func (w *Writer) Add(columns []uint32, values []float32) error {
	w.buf = w.buf[:0]
	for _, c := range columns {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, c)
	}
	for _, v := range values {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, math.Float32bits(v))
	}
	w.starts = append(w.starts, w.starts[len(w.starts)-1]+uint64(len(columns)))
	_, err := w.to.Write(w.buf)
	return err
}

// Close ends the file. It does not close the stream.
func (w *Writer) Close() error {
	h := xxhash.New()
	both := io.MultiWriter(w.to, h)
	w.buf = w.buf[:0]
	for _, s := range w.starts {
		w.buf = binary.LittleEndian.AppendUint64(w.buf, s)
	}
	n := len(w.starts) - 1
	for _, x := range []uint64{uint64(n), uint64(w.columns), w.starts[n]} {
		w.buf = binary.LittleEndian.AppendUint64(w.buf, x)
	}
	if _, err := both.Write(w.buf); err != nil {
		return err
	}
	_, err := w.to.Write(binary.LittleEndian.AppendUint64(nil, h.Sum64()))
	return err
}

// Rows are the rows of a file, mapped. They are safe for concurrent use.
type Rows struct {
	file    *vectors.MappedFile
	data    []byte // of the rows
	starts  []byte
	n       int
	columns int
}

// OpenedRows maps the rows of an open file, which may be closed afterwards, and looks at
// every one of them. Errors call it path.
func OpenedRows(f *os.File, path string) (*Rows, error) {
	m, err := vectors.MapOpened(f, path)
	if err != nil {
		return nil, err
	}
	r := &Rows{file: m}
	err = vectors.Guard(func() error {
		if err := r.head(m.Bytes()); err != nil {
			return err
		}
		return r.check()
	})
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("sparse: %s: %w", path, err)
	}
	return r, nil
}

// head finds the parts of a file.
func (r *Rows) head(data []byte) error {
	if len(data) < headBytes+8+tailBytes {
		return fmt.Errorf("%d bytes, too short for a file of sparse rows", len(data))
	}
	if string(data[:8]) != magic {
		return fmt.Errorf("begins with %q, want %q: not a file of sparse rows", data[:8], magic)
	}
	if v := binary.LittleEndian.Uint32(data[8:]); v != version {
		return fmt.Errorf("sparse rows of version %d, want %d", v, version)
	}
	tail := data[len(data)-tailBytes:]
	n, columns, nonzeros := binary.LittleEndian.Uint64(tail), binary.LittleEndian.Uint64(tail[8:]), binary.LittleEndian.Uint64(tail[16:])
	size := uint64(len(data))
	if n > size/8 || nonzeros > size/8 || columns < 1 || columns > MaxColumns || headBytes+8*nonzeros+8*(n+1)+tailBytes != size {
		return fmt.Errorf("%d bytes are no %d rows of %d columns with %d nonzeros", size, n, columns, nonzeros)
	}
	end := headBytes + 8*nonzeros
	if got, want := binary.LittleEndian.Uint64(tail[24:]), xxhash.Sum64(data[end:size-8]); got != want {
		return fmt.Errorf("checksum %016x at byte %d, want %016x", got, size-8, want)
	}
	r.n, r.columns, r.data, r.starts = int(n), int(columns), data[headBytes:end], data[end:size-tailBytes]
	return nil
}

// check looks at every row, so that no loop meets a column that is not there.
func (r *Rows) check() error {
	before := uint64(0)
	for i := range r.n + 1 {
		s := r.start(i)
		if s < before || s > uint64(len(r.data)/8) || i == 0 && s != 0 {
			return fmt.Errorf("row %d begins at nonzero %d, the one before at %d of %d", i, s, before, len(r.data)/8)
		}
		before = s
	}
	for i := range r.n {
		columns, values := r.Row(i)
		for j, c := range columns {
			if int(c) >= r.columns || j > 0 && c <= columns[j-1] {
				return fmt.Errorf("row %d: column %d at place %d, want ascending ones below %d", i, c, j, r.columns)
			}
			if v := float64(values[j]); v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d: column %d has the value %v", i, c, v)
			}
		}
	}
	if before != uint64(len(r.data)/8) {
		return errors.New("nonzeros behind the last row")
	}
	return nil
}

// Len is the number of rows.
func (r *Rows) Len() int { return r.n }

// Columns is the number of columns.
func (r *Rows) Columns() int { return r.columns }

// Nonzeros is the number of values that all rows hold.
func (r *Rows) Nonzeros() int64 { return int64(len(r.data) / 8) }

func (r *Rows) start(i int) uint64 { return binary.LittleEndian.Uint64(r.starts[8*i:]) }

// Row returns the columns of row i, ascending, and their values. They lie in the mapping:
// they are valid until Close, and loops over them run inside vectors.Guard.
func (r *Rows) Row(i int) (columns []uint32, values []float32) {
	from, to := r.start(i), r.start(i+1)
	if from == to {
		return nil, nil
	}
	row := r.data[8*from : 8*to]
	n := int(to - from)
	return unsafe.Slice((*uint32)(unsafe.Pointer(&row[0])), n), unsafe.Slice((*float32)(unsafe.Pointer(&row[4*n])), n)
}

// Norm is the Euclidean norm of row i.
func (r *Rows) Norm(i int) float64 {
	_, values := r.Row(i)
	return Norm(values)
}

// Norm is the Euclidean norm of a row of these values.
func Norm(values []float32) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// Dot is the inner product of rows a and b.
func (r *Rows) Dot(a, b int) (sum float64) {
	xs, x := r.Row(a)
	ys, y := r.Row(b)
	for i, j := 0, 0; i < len(xs) && j < len(ys); {
		switch {
		case xs[i] < ys[j]:
			i++
		case xs[i] > ys[j]:
			j++
		default:
			sum += float64(x[i]) * float64(y[j])
			i, j = i+1, j+1
		}
	}
	return sum
}

// Key is the key of rows a and b under a metric: see the package comment.
func (r *Rows) Key(m distance.Metric, a, b int) float32 {
	if m != distance.Cosine {
		return distance.OfProduct(m, r.Dot(a, b), 0, 0)
	}
	return distance.OfProduct(m, r.Dot(a, b), r.Norm(a), r.Norm(b))
}

// Metric reports whether sparse rows have keys under a metric.
func Metric(m distance.Metric) bool { return m == distance.Cosine || m == distance.IP }

// Close unmaps the rows.
func (r *Rows) Close() error { return r.file.Close() }
