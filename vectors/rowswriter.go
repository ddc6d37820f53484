package vectors

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
)

// writeBytes is the buffer of a file writer: large enough that the system calls
// vanish beside the copying.
const writeBytes = 1 << 20

// A RowsWriter writes a row file beside path and renames it on Commit.
type RowsWriter struct {
	path    string
	f       *os.File
	w       *bufio.Writer
	row     int
	want    int64 // bytes of all rows
	written int64
}

// CreateRows begins a row file of exactly n rows.
func CreateRows(path string, n, dim int, t Type) (*RowsWriter, error) {
	if t.Size() == 0 || dim < 1 || dim > MaxDim || n < 0 {
		return nil, fmt.Errorf("vectors: row file of %d rows of %d %v", n, dim, t)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	f, err := os.Create(path + ".tmp")
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	row := dim * t.Size()
	w := &RowsWriter{path: path, f: f, w: bufio.NewWriterSize(f, writeBytes), row: row, want: int64(n) * int64(row)}
	if _, err := w.w.Write(encodeHeader(n, dim, t)); err != nil {
		w.Abort()
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
	n, err := w.w.Write(rows)
	w.written += int64(n)
	if err != nil {
		err = fmt.Errorf("vectors: %w", err)
	}
	return n, err
}

// Commit syncs the file and its folder and renames it into place. It fails if
// the number of rows written is not the one promised.
func (w *RowsWriter) Commit() error {
	if w.written != w.want {
		return fmt.Errorf("vectors: %s: %d bytes of rows written, %d promised", w.path, w.written, w.want)
	}
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	if err := w.f.Sync(); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	f := w.f
	w.f = nil
	if err := f.Close(); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	if err := os.Rename(w.path+".tmp", w.path); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	return syncFolder(filepath.Dir(w.path))
}

// Abort closes and removes the unfinished file; after Commit it does nothing.
func (w *RowsWriter) Abort() error {
	if w.f == nil {
		return nil
	}
	w.f.Close()
	w.f = nil
	return os.Remove(w.path + ".tmp")
}
