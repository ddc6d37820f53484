package vectors

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/knng/knng/vectors/aside"
)

// A Writer appends rows, and ids if there are any, to a vector file. The format
// follows from the extension: .fvecs .bvecs .fbin .u8bin .i8bin .npy. Ids go to
// a file of their own beside it, path+".ids", one line a row. Both are written aside
// (package aside), and have their names when Close returns: a part of the rows never
// passes for all of them. After Close and Abort, Append is an error that is [os.ErrClosed].
type Writer struct {
	// Round has Convert round to whole numbers where the type holds only these; else a
	// value that is none is an error.
	Round bool

	path   string
	format string
	typ    Type
	dim    int
	n      int
	f      *aside.File // nil once closed
	named  bool        // by Close
	w      *bufio.Writer
	ids    *bufio.Writer // nil until the first id
	idFile *aside.File
	row    []byte
}

// A form is how a format holds rows.
type form struct {
	typ      Type // of their elements
	prefixed bool // an int32 dimension stands before every row
	counted  bool // the header is the numbers of rows and dimensions, in 32 bits
}

// written are the formats that are written, but for .npy, which holds any type.
var written = map[string]form{
	".fvecs": {typ: Float32, prefixed: true}, ".bvecs": {typ: Uint8, prefixed: true},
	".fbin": {typ: Float32, counted: true}, ".u8bin": {typ: Uint8, counted: true}, ".i8bin": {typ: Int8, counted: true},
}

// mostCounted is the most rows that a header of 32 bits can promise.
const mostCounted = math.MaxUint32

// Create begins a vector file of rows of dim elements of type t. A file of that name stays
// as it is until Close.
func Create(path string, t Type, dim int) (*Writer, error) {
	format := strings.ToLower(filepath.Ext(path))
	if err := writable(format, t, dim); err != nil {
		return nil, fmt.Errorf("vectors: %s: %w", path, err)
	}
	f, err := aside.Create(path)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	w := &Writer{path: path, format: format, typ: t, dim: dim, f: f, w: bufio.NewWriterSize(f, writeBytes), row: make([]byte, dim*t.Size())}
	if _, err := w.w.Write(w.header()); err != nil {
		return nil, errors.Join(fmt.Errorf("vectors: %w", err), w.Abort())
	}
	return w, nil
}

func writable(format string, t Type, dim int) error {
	want, ok := written[format]
	switch {
	case !ok && format != ".npy":
		return fmt.Errorf("files of format %q are not written: want one of %s", format, extensions())
	case ok && want.typ != t:
		return fmt.Errorf("%s files hold %v, not %v (--type %[2]v converts)", format, want.typ, t)
	case t.Size() == 0:
		return fmt.Errorf("unknown element type %d", t)
	case dim < 1 || dim > MaxDim:
		return fmt.Errorf("dimension %d, want 1 to %d", dim, MaxDim)
	}
	return nil
}

// header returns the bytes before the rows, for the number of rows so far. Its
// length does not depend on that number.
func (w *Writer) header() []byte {
	switch w.format {
	case ".npy":
		descr := map[Type]string{Uint8: "|u1", Int8: "|i1", Float16: "<f2", Float32: "<f4"}[w.typ]
		text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, w.n, w.dim)
		h := make([]byte, 128)
		copy(h, npyMagic+"\x01\x00")
		binary.LittleEndian.PutUint16(h[8:], 118)
		copy(h[10:], text+strings.Repeat(" ", 117-len(text))+"\n")
		return h
	}
	if w.counted() {
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(w.n)), uint32(w.dim))
	}
	return nil
}

// counted reports whether the format's header promises rows in 32 bits.
func (w *Writer) counted() bool { return written[w.format].counted }

func (w *Writer) idsPath() string { return w.path + ".ids" }

// Append adds a row given as raw elements of the file's type. id may be empty,
// for all rows or for none.
func (w *Writer) Append(row []byte, id string) error {
	if w.f == nil {
		return w.closed()
	}
	if len(row) != len(w.row) {
		return fmt.Errorf("vectors: %s: row %d: %d bytes, want %d", w.path, w.n, len(row), len(w.row))
	}
	if w.n == mostCounted && w.counted() {
		return fmt.Errorf("vectors: %s: row %d: a %s file holds at most %d rows", w.path, w.n, w.format, int64(mostCounted))
	}
	if err := w.appendID(id); err != nil {
		return fmt.Errorf("vectors: %s: row %d: %w", w.path, w.n, err)
	}
	if written[w.format].prefixed {
		var dim [4]byte
		binary.LittleEndian.PutUint32(dim[:], uint32(w.dim))
		if _, err := w.w.Write(dim[:]); err != nil {
			return fmt.Errorf("vectors: %w", err)
		}
	}
	if _, err := w.w.Write(row); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	w.n++
	return nil
}

// AppendFloat32 adds a row, converted as Encode does. A value that the type cannot hold is ErrRows.
func (w *Writer) AppendFloat32(row []float32, id string) error {
	if len(row) != w.dim {
		return fmt.Errorf("vectors: %s: row %d: dimension %d, want %d", w.path, w.n, len(row), w.dim)
	}
	if err := Encode(w.typ, row, w.row); err != nil {
		return Refused(fmt.Errorf("vectors: %s: row %d: %w", w.path, w.n, err))
	}
	return w.Append(w.row, id)
}

func (w *Writer) appendID(id string) (err error) {
	if w.ids == nil {
		if id == "" {
			return nil
		}
		if w.n > 0 {
			return errors.New("an id, but the rows before have none")
		}
		if w.idFile, err = aside.Create(w.idsPath()); err != nil {
			return err
		}
		w.ids = bufio.NewWriterSize(w.idFile, writeBytes)
	}
	if id == "" || !utf8.ValidString(id) || strings.ContainsAny(id, "\r\n") {
		return fmt.Errorf("id %q: want one line of UTF-8, not empty", id)
	}
	_, err = w.ids.WriteString(id + "\n")
	return err
}

// closed is the error of rows after Close or Abort.
func (w *Writer) closed() error {
	return fmt.Errorf("vectors: %s: row %d: %w", w.path, w.n, os.ErrClosed)
}

// Close completes the header, syncs the files and gives them their names. Where it cannot,
// nothing is left of them. Once it has returned nil it does so again; after Abort, or a Close that
// failed, it is an error: there is no file.
func (w *Writer) Close() error {
	switch {
	case w.named:
		return nil
	case w.f == nil:
		return w.closed()
	}
	err := w.finish()
	if err != nil {
		return errors.Join(fmt.Errorf("vectors: %s: %w", w.path, err), w.Abort())
	}
	w.f, w.idFile, w.named = nil, nil, true
	return nil
}

func (w *Writer) finish() error {
	errs := []error{w.w.Flush()}
	if h := w.header(); len(h) > 0 {
		_, err := w.f.WriteAt(h, 0)
		errs = append(errs, err)
	}
	errs = append(errs, w.f.Settle())
	if w.ids != nil {
		errs = append(errs, w.ids.Flush(), w.idFile.Settle())
	}
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	if w.ids != nil {
		if err := w.idFile.Rename(); err != nil {
			return err
		}
	}
	if err := w.f.Rename(); err != nil {
		return err
	}
	return aside.SyncFolder(filepath.Dir(w.path))
}

// Abort removes the file that was being written; after Close or Abort it does nothing.
func (w *Writer) Abort() error {
	if w.f == nil {
		return nil
	}
	errs := []error{w.f.Abort()}
	if w.idFile != nil {
		errs = append(errs, w.idFile.Abort())
	}
	w.f, w.idFile = nil, nil
	return errors.Join(errs...)
}

// Rows is the number of rows appended.
func (w *Writer) Rows() int { return w.n }

// Convert appends all rows of src, converted to the writer's type: a value that the type
// cannot hold is an ErrRows that names row and column, and so is a row whose values would
// all be 0 and are not. progress, if not nil, is told how many rows each step added.
func Convert(dst *Writer, src Source, progress func(rows int)) error {
	size := src.Dim() * src.Type().Size()
	buf := make([]byte, size*max(1, writeBytes/size))
	row := make([]float32, src.Dim())
	for from := 0; from < src.Len(); {
		n := min(len(buf)/size, src.Len()-from)
		if err := src.ReadRows(from, buf[:n*size]); err != nil {
			return err
		}
		for i := range n {
			if err := convertRow(dst, src.Type(), buf[i*size:(i+1)*size], row); err != nil {
				return err
			}
		}
		from += n
		if progress != nil {
			progress(n)
		}
	}
	return nil
}

func convertRow(dst *Writer, t Type, raw []byte, row []float32) error {
	if t == dst.typ {
		return dst.Append(raw, "")
	}
	Decode(t, raw, row)
	if err := dst.holds(row); err != nil {
		return Refused(fmt.Errorf("vectors: %s: row %d: %w", dst.path, dst.n, err))
	}
	return dst.AppendFloat32(row, "")
}

// holds returns an error if the conversion of a row would lose more than rounding does.
func (w *Writer) holds(row []float32) error {
	largest, at := float32(0), 0
	whole := w.typ == Uint8 || w.typ == Int8
	for i, x := range row {
		if y := float64(x); whole && !w.Round && y != math.RoundToEven(y) && !math.IsNaN(y) {
			return fmt.Errorf("column %d: %g is not a whole number, and %v holds no others (--round rounds)", i, x, w.typ)
		}
		if x = max(x, -x); x > largest {
			largest, at = x, i
		}
	}
	if whole && largest > 0 && largest <= 0.5 || w.typ == Float16 && largest > 0 && Float32ToFloat16(largest)&0x7fff == 0 {
		return fmt.Errorf("column %d: %g is its largest value, and %v would hold a row of zeros", at, row[at], w.typ)
	}
	return nil
}
