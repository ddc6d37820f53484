package vectors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// columns takes the rows of a stream in Fortran order, column after column: it copies the
// stream to a file, and reads the rows from there.
func (r *receiver) columns(s *rowStream) (cut bool, err error) {
	f, err := os.CreateTemp(r.opts.Scratch, ReceivedPattern)
	if err != nil {
		return false, fmt.Errorf("vectors: %w", err)
	}
	defer func() { err = errors.Join(err, removed(os.Remove(f.Name()))) }()
	n, err := io.CopyN(f, readerFunc(func(p []byte) (int, error) {
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
		n, err := s.r.Read(p)
		if s.sum != nil {
			s.sum.Write(p[:n])
		}
		return n, err
	}), int64(s.n)*int64(s.stride))
	if err = errors.Join(err, f.Close()); err != nil {
		return false, fmt.Errorf("vectors: %s: byte %s: %w", s.path, grouped(int(s.at+n)), err)
	}
	s.at += n
	if err := s.ended(); err != io.EOF {
		return false, err
	}
	m, err := mapFile(f.Name())
	if err != nil {
		return false, err
	}
	defer m.close()
	l := s.layout
	l.offset = 0
	return r.transposed(&fileSource{path: s.path, m: m, layout: l})
}

// transposed takes the rows of a file of columns, many at a time.
func (r *receiver) transposed(src *fileSource) (cut bool, err error) {
	n := src.n
	if left := r.opts.Limit - r.n; r.opts.Limit > 0 && n > left {
		n, cut = left, true
	}
	size, read := r.rowBytes(), src.ReadRows
	if r.wide {
		read = src.readWidened
	}
	rows := make([]byte, min(n, max(1, writeBytes/size))*size)
	for from := 0; from < n; from += len(rows) / size {
		some := rows[:min(len(rows), (n-from)*size)]
		if err := read(from, some); err != nil {
			return false, err
		}
		if _, err := r.w.Write(some); err != nil {
			return false, fmt.Errorf("vectors: %w", err)
		}
		r.n += len(some) / size
		if r.opts.Progress != nil {
			r.opts.Progress(r.n)
		}
		if err := r.ctx.Err(); err != nil {
			return false, err
		}
	}
	return cut, nil
}

// readWidened reads rows as float64 in bytes.
func (s *fileSource) readWidened(first int, dst []byte) error {
	wide := make([]float64, len(dst)/8)
	if err := s.ReadWide(first, wide); err != nil {
		return err
	}
	for i, x := range wide {
		if math.IsInf(float64(float32(x)), 0) && !math.IsInf(x, 0) {
			return Refused(fmt.Errorf("vectors: %s: row %s, column %d: %g is beyond float32", s.path, grouped(first+i/s.dim), i%s.dim, x))
		}
		binary.LittleEndian.PutUint64(dst[8*i:], math.Float64bits(x))
	}
	return nil
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
