package parquet

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/knng/knng/vectors"
)

// elementOf says how the elements of a column are read. The library does not tell of a
// column that it is of float16: the schema in the file does.
func (p *File) elementOf(c *parquet.Column) (element, error) {
	t := c.Type()
	logical := t.LogicalType()
	switch t.Kind() {
	case parquet.Float:
		return element{"<f4", 4, func(dst []byte, v parquet.Value) { binary.LittleEndian.PutUint32(dst, math.Float32bits(v.Float())) }}, nil
	case parquet.Double:
		return element{"<f8", 8, func(dst []byte, v parquet.Value) { binary.LittleEndian.PutUint64(dst, math.Float64bits(v.Double())) }}, nil
	case parquet.FixedLenByteArray:
		if t.Length() == 2 && p.halves(c.Index()) {
			return element{"<f2", 2, func(dst []byte, v parquet.Value) { copy(dst, v.ByteArray()) }}, nil
		}
	case parquet.Int32:
		if logical != nil && logical.Integer != nil && logical.Integer.BitWidth == 8 {
			descr := "|u1"
			if logical.Integer.IsSigned {
				descr = "|i1"
			}
			return element{descr, 1, func(dst []byte, v parquet.Value) { dst[0] = byte(v.Int32()) }}, nil
		}
	}
	return element{}, fmt.Errorf("elements are %v, want float, double, float16, int8 or uint8", t)
}

// halves reports whether the schema calls a leaf float16.
func (p *File) halves(leaf int) bool {
	for _, s := range p.file.Metadata().Schema {
		if s.NumChildren.V > 0 {
			continue
		}
		if leaf == 0 {
			return s.LogicalType.V.Float16 != nil
		}
		leaf--
	}
	return false
}

// NPY sends the vectors as a .npy file: the bytes that numpy.save would write. Reading
// from it reads the Parquet file; closing it early ends that.
func (p *File) NPY() io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		b := bufio.NewWriterSize(w, 1<<20)
		err := p.guard(func() error {
			if _, err := io.WriteString(b, p.header()); err != nil {
				return err
			}
			if err := p.writeRows(b); err != nil {
				return err
			}
			return b.Flush()
		})
		w.CloseWithError(err)
	}()
	return r
}

// header is that of format version 1.0: its length is a multiple of 64.
func (p *File) header() string {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", p.kind.descr, p.rows, p.dim)
	dict += strings.Repeat(" ", 63-(10+len(dict))%64) + "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(dict)))) + dict
}

// WriteIDs writes the ids in a column of strings or integers, a line for each row.
func (p *File) WriteIDs(w io.Writer, column string) error {
	return p.guard(func() error {
		c := p.file.Root().Column(column)
		if c == nil {
			return vectors.Misused(fmt.Errorf("no column %q, the file has %s", column, p.columns()))
		}
		if !c.Leaf() || c.MaxRepetitionLevel() != 0 {
			return vectors.Misused(fmt.Errorf("column %q is %s, want strings or integers", column, kindOf(c)))
		}
		b := bufio.NewWriter(w)
		err := p.each(c, func(row int, v parquet.Value) error {
			id, err := idOf(v)
			if err != nil {
				return fmt.Errorf("row %d of column %s: %w", row, column, err)
			}
			_, err = b.WriteString(id + "\n")
			return err
		})
		if err != nil {
			return err
		}
		return b.Flush()
	})
}

func idOf(v parquet.Value) (string, error) {
	switch v.Kind() {
	case parquet.Int32, parquet.Int64:
		return v.String(), nil
	case parquet.ByteArray:
		id := string(v.ByteArray())
		if strings.ContainsAny(id, "\r\n") {
			return "", fmt.Errorf("id %q has a line break", id)
		}
		return id, nil
	}
	return "", fmt.Errorf("a value of %v, want strings or integers", v.Kind())
}

// Stream opens a Parquet file as package vectors wants it: as a .npy file. Where a column
// of ids is named, these are written first.
func Stream(path string, o *vectors.OpenOptions) (io.ReadCloser, error) {
	p, err := Open(path, o.Column)
	if err != nil {
		return nil, err
	}
	if o.IDColumn != "" && o.IDs != nil {
		if err := p.WriteIDs(o.IDs, o.IDColumn); err != nil {
			p.Close()
			return nil, err
		}
	}
	return stream{p.NPY(), p}, nil
}

// A stream closes the file with it.
type stream struct {
	io.ReadCloser
	file *File
}

func (s stream) Close() error {
	s.ReadCloser.Close() // the reader of the file ends before the file is closed
	return s.file.Close()
}
