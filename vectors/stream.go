package vectors

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// Streamed reports whether an input of that name cannot be mapped, so that its rows are written to
// a row file first: stdin ("-"), compressed files, text and .npz. Further formats
// (OpenOptions.Formats) are not among them.
func Streamed(path string) bool {
	return path == "-" || packing(path) != "" || textual(path) || archived(path)
}

// maxWindow bounds the memory that a zstd file may ask for: enough for zstd
// --long, and not the gigabytes that a hostile header can name.
const maxWindow = 128 << 20

// headerBytes is more than a header of any format takes: 64 KiB of .npy.
const headerBytes = 1 << 17

// A rowStream reads the rows of an input one after the other.
type rowStream struct {
	path string
	layout
	r       *bufio.Reader
	sum     *xxhash.Digest // of all bytes read; nil where nobody wants it
	raw     []byte         // a row as it stands in the stream, with what is before it
	row     int            // rows read
	at      int64          // bytes read, unpacked; of text, of the rows it makes
	text    bool
	keep    bool // rows are taken as float64
	closers []func() error
}

// openStream opens an input, packed or not, and reads its header.
func openStream(ctx context.Context, path string, opts *OpenOptions) (*rowStream, error) {
	s := &rowStream{path: path}
	if err := s.open(ctx, opts); err != nil {
		s.close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("vectors: %s: %w", s.path, err)
	}
	return s, nil
}

func (s *rowStream) open(ctx context.Context, opts *OpenOptions) (err error) {
	name := "stdin.npy"
	var r io.Reader
	if s.path == "-" {
		s.path, s.sum = "stdin", xxhash.New()
		stdin := leavable(ctx, os.Stdin)
		r, s.closers = stdin, append(s.closers, stdin.Close)
	} else {
		name = s.path[:len(s.path)-len(packing(s.path))]
		if format := opts.format(s.path); format != nil {
			name = "rows.npy"
			var rows io.ReadCloser
			if rows, err = format(s.path, opts); err == nil {
				r, s.closers = rows, append(s.closers, rows.Close)
			}
		} else if archived(s.path) {
			name = "array.npy"
			r, err = s.array(s.path, opts.Column)
		} else {
			r, err = s.unpack(s.path)
		}
		if err != nil {
			return err
		}
	}
	if err := opts.suits(s.path, name); err != nil {
		return err
	}
	if textual(name) {
		return s.beginText(name, r, opts)
	}
	return s.begin(name, r, opts.Formats)
}

// leavable reads from r until ctx ends: a read of stdin waits for its writer, and no context
// ends that wait. The waiting goroutine stays behind until something is written.
func leavable(ctx context.Context, r io.Reader) io.ReadCloser {
	if ctx.Done() == nil {
		return io.NopCloser(r)
	}
	out, in := io.Pipe()
	go func() {
		_, err := io.CopyBuffer(in, struct{ io.Reader }{r}, make([]byte, 1<<18))
		in.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	return out
}

// beginText reads text as if rows stood there.
func (s *rowStream) beginText(name string, r io.Reader, opts *OpenOptions) error {
	s.text = true
	t, err := newTextRows(recordsOf(name, bufio.NewReaderSize(r, 1<<20)), opts)
	if err != nil {
		return err
	}
	s.layout = layout{n: unknown, dim: t.dim(), typ: Float32, stride: 8 * t.dim(), from: float64s}
	s.r, s.raw = bufio.NewReaderSize(t, max(s.stride, 1<<16)), make([]byte, s.stride)
	return nil
}

// begin reads the header; name tells the format.
func (s *rowStream) begin(name string, r io.Reader, further map[string]Format) error {
	parse, err := parserOf(name, further)
	if err != nil {
		return err
	}
	s.r = bufio.NewReaderSize(r, 1<<20)
	head, err := s.r.Peek(headerBytes) // fewer, and why, where there are not so many
	if len(head) == 0 {
		if err == io.EOF {
			err = errors.New("it is empty")
		}
		return err
	}
	l, parseErr := parse(head)
	if parseErr != nil {
		if err != io.EOF {
			parseErr = errors.Join(parseErr, err)
		}
		return parseErr
	}
	s.layout, s.raw = l, make([]byte, max(l.stride, l.offset))
	if s.prefixed {
		return nil // what stands before the first row is part of it
	}
	return s.read(s.raw[:s.offset])
}

// unpack opens a file for reading, and decompresses it.
func (s *rowStream) unpack(path string) (io.Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, f.Close)
	switch packing(path) {
	case ".gz":
		return newGzipped(f)
	case ".zst":
		z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, func() error { z.Close(); return nil })
		return z, nil
	}
	return f, nil
}

// read fills all of data, or returns io.EOF or another error.
func (s *rowStream) read(data []byte) error {
	n, err := io.ReadFull(s.r, data)
	if s.sum != nil {
		s.sum.Write(data[:n])
	}
	s.at += int64(n)
	if err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("cut short, %d of %d bytes: %w", n, len(data), err)
	}
	return err
}

// next reads a row into dst; io.EOF follows the last.
func (s *rowStream) next(dst []byte) error {
	if s.row == s.n {
		return s.ended()
	}
	begin, raw := s.at, s.raw[:s.stride]
	err := s.read(raw)
	switch {
	case err == io.EOF && s.n == unknown:
		return io.EOF
	case err == io.EOF:
		err = fmt.Errorf("the stream ends, want %d rows", s.n)
	case err == nil && s.prefixed:
		if dim := int32(binary.LittleEndian.Uint32(raw)); int(dim) != s.dim {
			err = fmt.Errorf("dimension %d, want %d", dim, s.dim)
		}
		raw = raw[4:]
	}
	if err == nil {
		err = s.take(dst, raw)
	}
	if err != nil && s.text { // which names the line
		return fmt.Errorf("vectors: %s: %w", s.path, err)
	}
	if err != nil {
		return fmt.Errorf("vectors: %s: row %s at byte %s: %w", s.path, grouped(s.row), grouped(int(begin)), err)
	}
	s.row++
	return nil
}

// take converts a row.
func (s *rowStream) take(dst, raw []byte) error {
	switch {
	case s.keep:
		return s.from.widen(dst, raw)
	case s.from.same():
		copy(dst, raw)
		return nil
	}
	return s.from.convert(dst, raw)
}

// more reports whether rows follow that were not read. It waits for no bytes where their
// number was promised.
func (s *rowStream) more() (bool, error) {
	if s.n != unknown {
		return s.row < s.n, nil
	}
	_, err := s.r.Peek(1)
	if err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("vectors: %s: byte %s: %w", s.path, grouped(int(s.at)), err)
	}
	return true, nil
}

// ended makes sure that nothing stands behind the rows that were promised.
func (s *rowStream) ended() error {
	_, err := s.r.Peek(1)
	if err == nil {
		err = fmt.Errorf("more bytes follow the %d rows that the header promises", s.n)
	}
	if err != io.EOF {
		return fmt.Errorf("vectors: %s: byte %s: %w", s.path, grouped(int(s.at)), err)
	}
	return io.EOF
}

func (s *rowStream) close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i]())
	}
	s.closers = nil
	return errors.Join(errs...)
}
