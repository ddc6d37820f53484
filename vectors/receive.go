package vectors

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// receive writes the rows of all inputs, in order, to one row file in the scratch
// folder and maps it. How many there are is known at the end, so the header is
// written last.
func receive(paths []string, opts *OpenOptions) (in *Input, err error) {
	if err := present(paths, opts.Remote != nil); err != nil {
		return nil, err
	}
	if opts.Scratch != "" {
		if err := os.MkdirAll(opts.Scratch, 0o777); err != nil {
			return nil, fmt.Errorf("vectors: %w", err)
		}
	}
	f, err := os.CreateTemp(opts.Scratch, ReceivedPattern)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	in = &Input{closers: []func() error{func() error { return removed(os.Remove(f.Name())) }}}
	r := &receiver{ctx: opts.Context, opts: opts, w: bufio.NewWriterSize(f, writeBytes)}
	if r.ctx == nil {
		r.ctx = context.Background()
	}
	err = r.all(paths)
	if err == nil {
		_, err = f.WriteAt(encodeHeader(r.n, r.dim, r.typ), 0)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		in.Files = r.files
		if r.wide {
			err = in.mapWide(f.Name(), r.n, r.dim)
		} else {
			err = in.mapRows(f.Name())
		}
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	in.temporary, in.received = true, opts.Once
	return in, nil
}

// ReceivedPattern is the pattern of the names of files of received rows. A process that is
// killed leaves its file.
const ReceivedPattern = "knng-input-*"

// removed is the error of a removal, or nil if the file was gone already.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// present checks that all inputs exist, before anything is read or written.
func present(paths []string, remote bool) error {
	stdin := false
	for _, path := range paths {
		if path != "-" {
			_, err := os.Stat(path)
			if errors.Is(err, fs.ErrNotExist) && address(path) && !remote {
				return elsewhere(path)
			}
			if err != nil {
				return fmt.Errorf("vectors: %w", err)
			}
			continue
		}
		if stdin {
			return Misused(errors.New("vectors: stdin, \"-\", is among the inputs twice: it can be read only once"))
		}
		stdin = true
	}
	return nil
}

// mapRows makes a row file the source of the input.
func (in *Input) mapRows(path string) error {
	rows, err := OpenRows(path)
	if err != nil {
		return err
	}
	in.Source = rows
	in.closers = append([]func() error{rows.Close}, in.closers...) // before it is removed
	return nil
}

// mapWide makes a file of float64 rows, behind room for a header, the source of the input.
func (in *Input) mapWide(path string, n, dim int) error {
	m, err := mapFile(path)
	if err != nil {
		return err
	}
	in.Source = &fileSource{path: path, m: m, layout: layout{n: n, dim: dim, typ: Float32, offset: rowsHeader, stride: 8 * dim, from: float64s}}
	in.closers = append([]func() error{m.close}, in.closers...) // before it is removed
	return nil
}

// A receiver takes the rows of one stream after the other.
type receiver struct {
	ctx    context.Context
	w      *bufio.Writer
	opts   *OpenOptions
	n, dim int
	typ    Type
	wide   bool // rows are kept as float64, since the first stream has them so
	files  []File
}

func (r *receiver) all(paths []string) error {
	if _, err := r.w.Write(make([]byte, rowsHeader)); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	for _, path := range paths {
		if err := r.file(path); err != nil {
			return err
		}
	}
	if err := r.w.Flush(); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	return nil
}

// file takes the rows of one more input.
func (r *receiver) file(path string) (err error) {
	file := File{Path: path}
	if path != "-" {
		if file, err = Describe(path); err != nil {
			return err
		}
	}
	file.Column = r.opts.Column
	s, err := openStream(r.ctx, path, r.opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if len(r.files) == 0 {
		r.dim, r.typ, r.wide = s.dim, s.typ, s.from.kind == 'f' && s.from.size == 8
	} else if r.dim != s.dim || r.typ != s.typ {
		return fmt.Errorf("vectors: %s has rows of %d %v, %s of %d %v: inputs must agree", r.files[0].Path, r.dim, r.typ, path, s.dim, s.typ)
	}
	s.keep, file.First = r.wide, r.n
	take := r.rows
	if s.fortran {
		take = r.columns
	}
	if file.Cut, err = take(s); err != nil {
		return err
	}
	if file.Rows = r.n - file.First; file.Rows == 0 && !file.Cut {
		return fmt.Errorf("vectors: %s: no rows", path)
	}
	if s.sum != nil {
		file.Size, file.Sample = s.at, s.sum.Sum64()
	}
	r.files = append(r.files, file)
	return nil
}

// rowBytes is the size of a row in the file.
func (r *receiver) rowBytes() int {
	if r.wide {
		return 8 * r.dim
	}
	return r.dim * r.typ.Size()
}

// tellEvery is how many rows are received between two reports.
const tellEvery = 1024

// rows copies the rows of a stream; cut is whether the limit left some out.
func (r *receiver) rows(s *rowStream) (cut bool, err error) {
	row := make([]byte, r.rowBytes())
	for r.opts.Limit == 0 || r.n < r.opts.Limit {
		if r.n%tellEvery == 0 && r.opts.Progress != nil {
			r.opts.Progress(r.n)
		}
		err := s.next(row)
		if err == io.EOF {
			return false, nil
		}
		if err = cmp.Or(r.ctx.Err(), err); err != nil {
			return false, err
		}
		if _, err := r.w.Write(row); err != nil {
			return false, fmt.Errorf("vectors: %w", err)
		}
		r.n++
	}
	cut, err = s.more()
	return cut, cmp.Or(r.ctx.Err(), err)
}
