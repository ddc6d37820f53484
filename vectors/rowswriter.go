package vectors

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/vectors/aside"
)

// writeBytes is the buffer of a file writer: large enough that the system calls
// vanish beside the copying.
const writeBytes = 1 << 20

// A Publication is a file that is written aside and appears under its name, whole
// and durable, when Commit returns.
type Publication interface {
	Write(data []byte) (int, error)
	Commit() error
	Abort() error // drops the file; after Commit it does nothing
}

// A RowsWriter writes a row file.
type RowsWriter struct {
	path    string
	file    Publication
	w       *bufio.Writer
	row     int
	want    int64 // bytes of all rows
	written int64
}

// CreateRows begins a row file of exactly n rows, in a folder that nobody else writes to
// (aside.Over). Commit renames it to path.
func CreateRows(path string, n, dim int, t Type) (*RowsWriter, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	file, err := aside.Over(path)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	w, err := NewRowsWriter(file, path, n, dim, t)
	if err != nil {
		file.Abort()
	}
	return w, err
}

// NewRowsWriter writes a row file of exactly n rows into file, which is the
// writer's from then on where there is no error. Errors name it path.
func NewRowsWriter(file Publication, path string, n, dim int, t Type) (*RowsWriter, error) {
	if t.Size() == 0 || dim < 1 || dim > MaxDim || n < 0 {
		return nil, fmt.Errorf("vectors: row file of %d rows of %d %v", n, dim, t)
	}
	row := dim * t.Size()
	w := &RowsWriter{path: path, file: file, w: bufio.NewWriterSize(file, int(min(writeBytes, rowsHeader+int64(n)*int64(row)))), row: row, want: int64(n) * int64(row)}
	if _, err := w.w.Write(encodeHeader(n, dim, t)); err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	return w, nil
}

// Write appends whole rows, in order.
func (w *RowsWriter) Write(rows []byte) (int, error) {
	if len(rows)%w.row != 0 || w.written+int64(len(rows)) > w.want {
		return 0, fmt.Errorf("vectors: %s: %d bytes after %d, want whole rows of %d and %d in all",
			w.path, len(rows), w.written, w.row, w.want)
	}
	n, err := w.append(rows)
	w.written += int64(n)
	if err != nil {
		err = fmt.Errorf("vectors: %w", err)
	}
	return n, err
}

// append copies few rows to the buffer, and writes many as they are.
func (w *RowsWriter) append(rows []byte) (int, error) {
	if len(rows) < writeBytes/2 {
		return w.w.Write(rows)
	}
	if err := w.w.Flush(); err != nil {
		return 0, err
	}
	return w.file.Write(rows)
}

// Commit publishes the file. It fails if the number of rows written is not the
// one promised.
func (w *RowsWriter) Commit() error {
	if w.written != w.want {
		return fmt.Errorf("vectors: %s: %d bytes of rows written, %d promised", w.path, w.written, w.want)
	}
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	return w.file.Commit()
}

// Abort drops the unfinished file; after Commit it does nothing.
func (w *RowsWriter) Abort() error { return w.file.Abort() }
