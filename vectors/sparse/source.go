package sparse

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knng/knng/vectors"
)

// Is reports whether a file holds a sparse matrix of SciPy, in any format: an .npz of
// arrays called format, shape and data. It is false where the file cannot be read.
func Is(path string) bool {
	if strings.ToLower(filepath.Ext(path)) != ".npz" {
		return false
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		return false
	}
	defer z.Close()
	have := names(z)
	return slices.Contains(have, "format") && slices.Contains(have, "shape") && slices.Contains(have, "data") ||
		slices.Contains(have, "indptr") && slices.Contains(have, "data")
}

func names(z *zip.ReadCloser) (list []string) {
	for _, f := range z.File {
		list = append(list, strings.TrimSuffix(f.Name, ".npy"))
	}
	return list
}

// Source is a CSR matrix in a file of SciPy. Its rows are read one after the other.
type Source struct {
	File vectors.File

	path    string
	z       *zip.ReadCloser
	n       int
	columns int
	starts  []int64 // of all rows of the file, and the end
}

// Found counts the values of a matrix that was read.
type Found struct {
	Nonzeros int64   // that are left
	Zeros    int64   // stored, and dropped
	Added    int64   // values added to others of their row and column
	Rounded  int64   // float64 that float32 does not hold
	Largest  float64 // relative error of those
}

// Open opens a file that scipy.sparse.save_npz wrote, compressed or not. limit is the number
// of rows that are read; 0 is all. It reads the beginnings of rows and compares them with
// the arrays.
func Open(path string, limit int) (*Source, error) {
	s, err := open(path, limit)
	if err != nil {
		return nil, fmt.Errorf("sparse: %s: %w", path, err)
	}
	return s, nil
}

func open(path string, limit int) (s *Source, err error) {
	s = &Source{path: path}
	if s.File, err = vectors.Describe(path); err != nil {
		return nil, err
	}
	if s.z, err = zip.OpenReader(path); err != nil {
		return nil, err
	}
	if err = s.read(); err != nil {
		return nil, errors.Join(err, s.z.Close())
	}
	if limit > 0 && limit < s.n {
		s.n, s.File.Cut = limit, true
	}
	s.File.Rows = s.n
	return s, nil
}

// array opens a member.
func (s *Source) array(name string) (*vectors.Array, io.Closer, error) {
	for _, f := range s.z.File {
		if strings.TrimSuffix(f.Name, ".npy") != name {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		a, err := vectors.NewArray(r)
		if err != nil {
			r.Close()
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		return a, r, nil
	}
	return nil, nil, fmt.Errorf("no array %q, which scipy.sparse.save_npz writes: it has %s", name, strings.Join(names(s.z), ", "))
}

// with calls fn with a member.
func (s *Source) with(name string, fn func(a *vectors.Array) error) error {
	a, c, err := s.array(name)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := fn(a); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// read reads format, shape and the beginnings of rows.
func (s *Source) read() error {
	if slices.Contains(names(s.z), "format") {
		if err := s.with("format", isCSR); err != nil {
			return err
		}
	}
	if err := s.with("shape", s.readShape); err != nil {
		return err
	}
	if err := s.with("indptr", s.readStarts); err != nil {
		return err
	}
	for _, name := range []string{"indices", "data"} {
		err := s.with(name, func(a *vectors.Array) error {
			if len(a.Shape) != 1 {
				return fmt.Errorf("an array of %d dimensions, want one", len(a.Shape))
			}
			if end := s.starts[len(s.starts)-1]; a.Len() < end {
				return fmt.Errorf("%d elements, but by indptr the rows have %d", a.Len(), end)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func isCSR(a *vectors.Array) error {
	format, err := a.Text()
	if err == nil && format != "csr" {
		err = fmt.Errorf("a matrix of format %q, want csr: scipy.sparse.save_npz('x.npz', m.tocsr()) writes it", format)
	}
	return err
}

func (s *Source) readShape(a *vectors.Array) error {
	if len(a.Shape) != 1 || a.Len() != 2 {
		return fmt.Errorf("%d numbers, want two: rows and columns", a.Len())
	}
	var shape [2]int64
	if err := a.Integers(shape[:]); err != nil {
		return err
	}
	switch {
	case shape[0] < 0 || shape[0] > vectors.MaxRows:
		return fmt.Errorf("%d rows, want 0 to %d", shape[0], int64(vectors.MaxRows))
	case shape[1] < 1 || shape[1] > MaxColumns:
		return fmt.Errorf("%d columns, want 1 to %d", shape[1], MaxColumns)
	}
	s.n, s.columns = int(shape[0]), int(shape[1])
	return nil
}

// readStarts reads indptr by parts: a header may promise more elements than there are.
func (s *Source) readStarts(a *vectors.Array) error {
	if len(a.Shape) != 1 || a.Len() != int64(s.n)+1 {
		return fmt.Errorf("%d elements, want %d: one for each of the %d rows that shape counts, and one more", a.Len(), s.n+1, s.n)
	}
	var part [1024]int64
	before := int64(0)
	for row := 0; row <= s.n; row += len(part) {
		some := part[:min(len(part), s.n+1-row)]
		if err := a.Integers(some); err != nil {
			return err
		}
		for i, x := range some {
			switch {
			case row+i == 0 && x != 0:
				return fmt.Errorf("row 0 begins at element %d, want 0", x)
			case x < before:
				return fmt.Errorf("row %d begins at element %d, before row %d, which begins at element %d", row+i, x, row+i-1, before)
			case x-before > maxRow:
				return fmt.Errorf("row %d has %d values, at most %d are read", row+i-1, x-before, maxRow)
			}
			before = x
		}
		s.starts = append(s.starts, some...)
	}
	return nil
}

// maxRow bounds the entries of a row, repeated columns counted: they are held at once.
const maxRow = 1 << 28

// Len is the number of rows.
func (s *Source) Len() int { return s.n }

// Columns is the number of columns.
func (s *Source) Columns() int { return s.columns }

// Nonzeros is the number of stored values, before zeros and repeated columns are dropped.
func (s *Source) Nonzeros() int64 { return s.starts[s.n] }

// Close closes the file.
func (s *Source) Close() error { return s.z.Close() }

// Each calls fn with the rows in order: columns ascend, none repeats, and no value is zero.
// Values may be NaN or infinite. The slices are valid during the call. It ends with the
// error of ctx, of fn, or of the file, which names row and column.
func (s *Source) Each(ctx context.Context, fn func(row int, columns []uint32, values []float32) error) (found Found, err error) {
	if found, err = s.each(ctx, fn); err != nil && ctx.Err() == nil {
		err = fmt.Errorf("sparse: %s: %w", s.path, err)
	}
	return found, err
}

func (s *Source) each(ctx context.Context, fn func(row int, columns []uint32, values []float32) error) (found Found, err error) {
	indices, closeIndices, err := s.array("indices")
	if err != nil {
		return found, err
	}
	defer closeIndices.Close()
	data, closeData, err := s.array("data")
	if err != nil {
		return found, err
	}
	defer closeData.Close()
	r := &rowReader{Source: s, indices: indices, data: data, found: &found}
	for row := range s.n {
		if row%1024 == 0 && ctx.Err() != nil {
			return found, ctx.Err()
		}
		if err := r.read(row); err != nil {
			return found, fmt.Errorf("row %d: %w", row, err)
		}
		if err := fn(row, r.columns, r.values); err != nil {
			return found, err
		}
	}
	return found, nil
}

// rowReader reads one row after the other.
type rowReader struct {
	*Source
	indices, data *vectors.Array
	found         *Found

	at      []int64
	value   []float64
	entries []entry
	columns []uint32
	values  []float32
}

// entry is a stored value.
type entry struct {
	column uint32
	value  float64
}

// rowPart is how many entries are read at a time: a count is not believed before.
const rowPart = 1 << 16

func (r *rowReader) read(row int) error {
	r.entries, r.columns, r.values = r.entries[:0], r.columns[:0], r.values[:0]
	sorted := true
	for left := int(r.starts[row+1] - r.starts[row]); left > 0; {
		n := min(left, rowPart)
		r.at, r.value = slices.Grow(r.at[:0], n)[:n], slices.Grow(r.value[:0], n)[:n]
		if err := r.indices.Integers(r.at); err != nil {
			return fmt.Errorf("indices: %w", err)
		}
		if err := r.data.Floats(r.value); err != nil {
			return fmt.Errorf("data: %w", err)
		}
		for i, c := range r.at {
			if c < 0 || c >= int64(r.Source.columns) {
				return fmt.Errorf("indices: column %d, but shape counts the columns 0 to %d", c, r.Source.columns-1)
			}
			e := entry{uint32(c), r.value[i]}
			sorted = sorted && (len(r.entries) == 0 || r.entries[len(r.entries)-1].column < e.column)
			r.entries = append(r.entries, e)
		}
		left -= n
	}
	if !sorted {
		r.unite()
	}
	return r.narrow()
}

// unite sorts the entries by column, and adds those of one column in the order in which they
// stand.
func (r *rowReader) unite() {
	slices.SortStableFunc(r.entries, func(a, b entry) int { return int(a.column) - int(b.column) })
	kept := r.entries[:0]
	for _, e := range r.entries {
		if n := len(kept); n > 0 && kept[n-1].column == e.column {
			kept[n-1].value += e.value
			r.found.Added++
			continue
		}
		kept = append(kept, e)
	}
	r.entries = kept
}

// narrow makes the row of float32.
func (r *rowReader) narrow() error {
	for _, e := range r.entries {
		v := float32(e.value)
		switch wide := float64(v); {
		case math.IsInf(wide, 0) && !math.IsInf(e.value, 0):
			return fmt.Errorf("column %d: %g is beyond float32", e.column, e.value)
		case wide != e.value && e.value == e.value:
			r.found.Rounded++
			r.found.Largest = max(r.found.Largest, math.Abs((wide-e.value)/e.value))
		}
		if v == 0 {
			r.found.Zeros++
			continue
		}
		r.columns, r.values = append(r.columns, e.column), append(r.values, v)
	}
	r.found.Nonzeros += int64(len(r.columns))
	return nil
}
