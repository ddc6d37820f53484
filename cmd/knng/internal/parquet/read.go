// Package parquet reads rows and ids from Parquet files and writes graphs to them. Only
// the command links it.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/knng/knng/vectors"
)

// A File is an open Parquet file with a column of vectors: a list, of fixed or variable
// size, of float, double, float16, int8 or uint8. It is for one goroutine.
type File struct {
	f      *os.File
	file   *parquet.File
	column *parquet.Column // the elements
	rows   int
	dim    int
	kind   element
}

// An element is how a column holds an element and how .npy does.
type element struct {
	descr string // of numpy
	size  int
	put   func(dst []byte, v parquet.Value)
}

// Open opens a file and finds the column of vectors by its name, or, where none is
// given, the only one that there is.
func Open(path, column string) (_ *File, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	p := &File{f: f}
	err = p.guard(func() error { return p.open(column) })
	if err != nil {
		f.Close()
		return nil, err
	}
	return p, nil
}

// guard turns a panic of the library on a damaged file into an error. Errors do not name
// the file: package vectors does.
func (p *File) guard(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("damaged Parquet file: %v", r)
		}
	}()
	return do()
}

func (p *File) open(column string) error {
	info, err := p.f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("no regular file: Parquet is read from its end")
	}
	if err := checkFooter(p.f, info.Size()); err != nil {
		return err
	}
	if p.file, err = parquet.OpenFile(p.f, info.Size(), parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true)); err != nil {
		return fmt.Errorf("no Parquet file: %w", err)
	}
	if p.file.NumRows() < 1 {
		return errors.New("no rows")
	}
	if p.file.NumRows() > vectors.MaxRows {
		return fmt.Errorf("%d rows, at most %d can be in a graph", p.file.NumRows(), int64(vectors.MaxRows))
	}
	p.rows = int(p.file.NumRows())
	if p.column, p.kind, err = p.vectors(column); err != nil {
		return err
	}
	p.dim, err = p.firstLength()
	return err
}

// checkFooter compares the length of the footer with the file's: the library makes room
// for it before it looks.
func checkFooter(r io.ReaderAt, size int64) error {
	end := make([]byte, 8)
	if size < 12 {
		return fmt.Errorf("no Parquet file: %d bytes", size)
	}
	if _, err := r.ReadAt(end, size-8); err != nil {
		return err
	}
	if string(end[4:]) != "PAR1" {
		return errors.New("no Parquet file: it does not end in PAR1")
	}
	if footer := int64(binary.LittleEndian.Uint32(end)); footer > size-12 {
		return fmt.Errorf("damaged Parquet file: a footer of %d bytes in a file of %d", footer, size)
	}
	return nil
}

// vectors finds the column of elements.
func (p *File) vectors(name string) (*parquet.Column, element, error) {
	var found []*parquet.Column
	var names []string
	for _, c := range p.file.Root().Columns() {
		leaf := onlyLeaf(c)
		if name != "" && c.Name() == name {
			if leaf == nil || leaf.MaxRepetitionLevel() != 1 {
				return nil, element{}, vectors.Misused(fmt.Errorf("column %q is %s, want a list of numbers", name, kindOf(c)))
			}
			kind, err := p.elementOf(leaf)
			return leaf, kind, err
		}
		if leaf != nil && leaf.MaxRepetitionLevel() == 1 {
			if _, err := p.elementOf(leaf); err == nil {
				found, names = append(found, leaf), append(names, c.Name())
			}
		}
	}
	switch {
	case name != "":
		return nil, element{}, vectors.Misused(fmt.Errorf("no column %q, the file has %s", name, p.columns()))
	case len(found) == 0:
		return nil, element{}, fmt.Errorf("no column is a list of numbers, the file has %s", p.columns())
	case len(found) > 1:
		return nil, element{}, vectors.Misused(fmt.Errorf("the columns %s are lists of numbers: choose one by --column", strings.Join(names, ", ")))
	}
	kind, err := p.elementOf(found[0])
	return found[0], kind, err
}

// columns names the columns of the file.
func (p *File) columns() string {
	var names []string
	for _, c := range p.file.Root().Columns() {
		names = append(names, c.Name())
	}
	return strings.Join(names, ", ")
}

// kindOf describes the kind of a column, for messages.
func kindOf(c *parquet.Column) string {
	leaf := onlyLeaf(c)
	switch {
	case leaf == nil:
		return "a group of several columns"
	case leaf.MaxRepetitionLevel() == 0:
		return "of " + leaf.Type().String()
	case leaf.MaxRepetitionLevel() == 1:
		return "a list of " + leaf.Type().String()
	}
	return "a list of lists of " + leaf.Type().String()
}

// onlyLeaf descends through groups of one column, as a list is.
func onlyLeaf(c *parquet.Column) *parquet.Column {
	for !c.Leaf() {
		below := c.Columns()
		if len(below) != 1 {
			return nil
		}
		c = below[0]
	}
	return c
}

// Rows, Dim and Type describe the matrix that NPY sends.
func (p *File) Rows() int { return p.rows }

// Dim is the number of elements of a row.
func (p *File) Dim() int { return p.dim }

// Close closes the file.
func (p *File) Close() error { return p.f.Close() }

// firstLength counts the elements of the first row.
func (p *File) firstLength() (n int, err error) {
	done := errors.New("done")
	err = p.each(p.column, func(row int, v parquet.Value) error {
		if row > 0 {
			return done
		}
		n++
		return nil
	})
	if err != nil && err != done {
		return 0, err
	}
	if n < 1 || n > vectors.MaxDim {
		return 0, fmt.Errorf("row 0 has %d elements, want 1 to %d", n, vectors.MaxDim)
	}
	return n, nil
}

// each calls do for every value of a column, with the row it belongs to. A missing value,
// and an empty list, is an error that names the row.
func (p *File) each(c *parquet.Column, do func(row int, v parquet.Value) error) error {
	pages := c.Pages()
	defer pages.Close()
	row, values := -1, make([]parquet.Value, 1024)
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			if row+1 != p.rows {
				return fmt.Errorf("column %s has %d rows, want %d", c.Name(), row+1, p.rows)
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("after row %d: %w", row, err)
		}
		err = eachValue(page, values, func(v parquet.Value) error {
			if v.RepetitionLevel() == 0 {
				row++
			}
			if v.IsNull() || v.DefinitionLevel() < c.MaxDefinitionLevel() {
				return fmt.Errorf("row %d of column %s has no value where one is expected", row, strings.Join(c.Path(), "."))
			}
			return do(row, v)
		})
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
}

func eachValue(page parquet.Page, values []parquet.Value, do func(parquet.Value) error) error {
	reader := page.Values()
	for {
		n, err := reader.ReadValues(values)
		for _, v := range values[:n] {
			if err := do(v); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// writeRows writes the elements of all rows, which must have the same length.
func (p *File) writeRows(w io.Writer) error {
	row, at := make([]byte, 0, p.dim*p.kind.size), 0
	flush := func() error {
		if len(row) != p.dim*p.kind.size {
			return fmt.Errorf("row %d has %d elements, row 0 has %d", at, len(row)/p.kind.size, p.dim)
		}
		_, err := w.Write(row)
		row = row[:0]
		return err
	}
	err := p.each(p.column, func(i int, v parquet.Value) error {
		if i != at {
			if err := flush(); err != nil {
				return err
			}
			at = i
		}
		if len(row) == p.dim*p.kind.size {
			return fmt.Errorf("row %d has more than the %d elements of row 0", i, p.dim)
		}
		row = slices.Grow(row, p.kind.size)[:len(row)+p.kind.size]
		p.kind.put(row[len(row)-p.kind.size:], v)
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}
