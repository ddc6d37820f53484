package vectors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Input is an opened input: one or several files in order, or rows in memory,
// seen as one matrix.
type Input struct {
	Source
	Files []File // empty for rows in memory

	closers   []func() error
	temporary bool // the rows stand in a file of receive
	received  bool // it may be dropped
}

// NewInput makes an input of rows that a program holds itself.
// Closing it closes src, where src can be closed.
func NewInput(src Source) *Input {
	in := &Input{Source: src}
	if c, ok := src.(interface{ Close() error }); ok {
		in.closers = append(in.closers, c.Close)
	}
	return in
}

// Close unmaps the files and removes the rows that were received from streams. Reading rows of
// files is [os.ErrClosed] afterwards.
func (in *Input) Close() error {
	var errs []error
	for _, c := range in.closers {
		errs = append(errs, c())
	}
	in.closers = nil
	return errors.Join(errs...)
}

// Drop deletes the rows received from streams, if the input was opened with OpenOptions.Once; else it
// does nothing. Afterwards reading rows is an error, and the result of Mapped is invalid.
func (in *Input) Drop() error {
	if !in.received {
		return nil
	}
	in.received = false
	in.Source = described{in.Len(), in.Dim(), in.Type()}
	return in.Close()
}

// Rest tells the system that the rows will hardly be read from now on, so that cached pages of their
// files no longer count as memory of this process. They can still be read.
func (in *Input) Rest() error { return in.Advise(unneeded) }

// Advise tells the system how the rows will be read: see Rows.Advise.
func (in *Input) Advise(a Advice) error {
	var maps []*mapping
	switch s := in.Source.(type) {
	case *Rows:
		maps = append(maps, s.m)
	case *fileSource:
		maps = append(maps, s.m)
	case *concatenation:
		for _, part := range s.parts {
			maps = append(maps, part.m)
		}
	}
	var errs []error
	for _, m := range maps {
		if m != nil { // rows in memory have none
			errs = append(errs, advise(m.data, a))
		}
	}
	return errors.Join(errs...)
}

// Received is how many bytes of disk the rows take that came from streams; 0 where
// there were none, or they were dropped.
func (in *Input) Received() int64 {
	switch s := in.Source.(type) {
	case *Rows:
		if in.temporary {
			return rowsHeader + int64(len(s.data))
		}
	case *fileSource:
		if in.temporary {
			return s.m.size
		}
	}
	return 0
}

// Described returns an input that only describes its rows: they cannot be read.
func Described(files []File, n, dim int, t Type) *Input {
	return &Input{Source: described{n, dim, t}, Files: files}
}

type described struct {
	n, dim int
	typ    Type
}

func (d described) Len() int   { return d.n }
func (d described) Dim() int   { return d.dim }
func (d described) Type() Type { return d.typ }

func (d described) ReadRows(first int, _ []byte) error {
	return fmt.Errorf("vectors: row %d of an input whose rows were dropped", first)
}

// Mapped returns the rows in place, without conversion. ok is false unless they are mapped, or in
// memory, at a constant stride. They are valid until the input is closed; closing them does nothing.
func (in *Input) Mapped() (*Rows, bool) {
	switch s := in.Source.(type) {
	case *Rows:
		if s.mapping().open() != nil {
			return nil, false
		}
		view := *s
		if view.m != nil {
			view.m, view.under = nil, view.m
		}
		return &view, true
	case *fileSource:
		if !s.from.same() || s.fortran || s.n == 0 || s.need != nil || s.m.open() != nil {
			return nil, false
		}
		return &Rows{data: s.m.data[s.offset:], stride: s.stride, n: s.n, dim: s.dim, typ: s.typ, name: s.path, under: s.m}, true
	}
	return nil, false
}

// OpenOptions changes how Open reads.
type OpenOptions struct {
	Limit   int    // read only the first Limit rows in all; 0 is no limit
	Scratch string // folder for the rows of .gz, .zst and stdin inputs; "" is os.TempDir()
	Once    bool   // a build may drop what was received from streams when it has its own copy

	Column   string    // the array of .npz files; "" is the only one of two dimensions
	IDColumn string    // the column of .csv, .tsv and .txt files that holds the ids of rows, by number from 1 or by name
	IDs      io.Writer // receives the ids of all rows, a line each; nil: they are dropped
	Header   *bool     // whether text begins with a line of names; nil: it does if a field there is no number

	// Formats are further formats by extension, such as ".parquet". Files of them are read
	// as streams are.
	Formats map[string]Format

	// Remote opens paths that are addresses, such as s3://bucket/rows.npy; nil: there are none.
	Remote func(path string) (Remote, error)

	Context  context.Context // cancels the receiving of streams; nil: it cannot be canceled
	Progress func(rows int)  // called now and then with the rows received from streams so far; nil: no calls
}

// A Format opens a file of another format as the .npy file that holds the same rows, and
// writes ids to o.IDs where o.IDColumn asks for them. Both columns are the format's.
type Format func(path string, o *OpenOptions) (io.ReadCloser, error)

// format is the further format of a file; nil where it is none.
func (o *OpenOptions) format(path string) Format {
	return o.Formats[strings.ToLower(filepath.Ext(path))]
}

// suits reports an option that means nothing to a file, by its name without .gz or .zst.
func (o *OpenOptions) suits(path, name string) error {
	switch {
	case o.Header != nil && !textual(name):
		return Misused(errors.New("only files of text have a line of names: .csv, .tsv and .txt"))
	case o.format(path) != nil: // columns are its own
	case o.Column != "" && !archived(path):
		return Misused(errors.New("a column is named, and only .npz has named arrays"))
	case o.IDColumn != "" && !textual(name):
		return Misused(errors.New("only files of text have a column of ids: .csv, .tsv and .txt"))
	}
	return nil
}

// Open maps input files and concatenates them in order. All must agree in dimension and type.
//
// The extension names the format: .fvecs .bvecs .fbin .u8bin .i8bin .npy .csv .tsv .txt .npz, and
// those of OpenOptions.Formats; all but .npz and these also with .gz or .zst. "-" is .npy on stdin.
//
// A .npy file may be in Fortran or C order, and in either byte order. float64, and integers of more
// than a byte, are converted to float32 as they are read (see [Centered] for float64 values that this
// would merge); bool becomes uint8. A value beyond float32, or an integer that float32 does not hold
// exactly, is an error that names row and column.
//
// Text has a row of numbers on each line, after an optional line of names; it is read as float32. A
// first line 0, 1, 2, ... may be a row, or the names that pandas gives to columns: Open refuses it
// unless OpenOptions.Header or a named IDColumn decides.
//
// Text, .npz, compressed files and stdin are streams, which cannot be mapped. If one of the files is a
// stream, Open writes the rows of all files to one row file in OpenOptions.Scratch, and maps that. Until
// the input is closed the rows are on disk once; twice for text and float64, which are kept as float64
// (see [OffsetsOf]). Receiving takes some megabytes of memory, and for zstd the window that the file
// asks for, at most 128 MiB. A stream that ends too early is an error that names row and byte.
//
// opts may be nil. The caller closes the Input. Errors: ErrRows of the contents, ErrUsage of paths and
// options, and those of the system.
func Open(paths []string, opts *OpenOptions) (*Input, error) {
	if len(paths) == 0 {
		return nil, Misused(errors.New("vectors: no input files"))
	}
	if opts == nil {
		opts = new(OpenOptions)
	}
	if opts.Limit < 0 {
		return nil, Misused(fmt.Errorf("vectors: a limit of %d rows, want 1 or more, or 0 for none", opts.Limit))
	}
	in, err := open(paths, opts)
	if opts.Context != nil && opts.Context.Err() != nil {
		return in, err
	}
	return in, Refused(err)
}

func open(paths []string, opts *OpenOptions) (*Input, error) {
	if slices.ContainsFunc(paths, func(path string) bool { return Streamed(path) || opts.format(path) != nil }) {
		return receive(paths, opts)
	}
	for _, path := range paths {
		if err := opts.suits(path, path); err != nil {
			return nil, fmt.Errorf("vectors: %s: %w", path, err)
		}
	}
	in := new(Input)
	joined := &concatenation{}
	for _, path := range paths {
		if err := in.append(joined, path, opts); err != nil {
			in.Close()
			return nil, err
		}
	}
	in.Source = joined
	if len(joined.parts) == 1 {
		in.Source = joined.parts[0]
	}
	return in, nil
}

// append opens one more file.
func (in *Input) append(joined *concatenation, path string, opts *OpenOptions) error {
	file, s, err := in.open(path, opts)
	if err != nil {
		return err
	}
	if first := joined.first(); first != nil && (first.dim != s.dim || first.typ != s.typ) {
		return fmt.Errorf("vectors: %s has rows of %d %v, %s of %d %v: inputs must agree", first.path, first.dim, first.typ, path, s.dim, s.typ)
	}
	if left := opts.Limit - joined.n; opts.Limit > 0 && s.n > left {
		s.n, file.Cut = left, true
	}
	file.First, file.Rows = joined.n, s.n
	joined.add(s)
	in.Files = append(in.Files, file)
	return nil
}

// open describes and maps a file of this machine or of a remote one.
func (in *Input) open(path string, opts *OpenOptions) (file File, s *fileSource, err error) {
	if opts.Remote != nil && address(path) {
		return in.openRemote(path, opts)
	}
	if file, err = Describe(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) && address(path) {
			err = elsewhere(path)
		}
		return file, nil, err
	}
	if s, err = openFile(path, opts.Formats); err == nil {
		in.closers = append(in.closers, s.m.close)
	}
	return file, s, err
}

// elsewhere is the error of an address where no Remote opens one.
func elsewhere(path string) error {
	return Misused(fmt.Errorf("vectors: %s is no file of this machine: copy it to one, or build by \"python -m knng.cluster\", which reads object stores", path))
}

func openFile(path string, further map[string]Format) (*fileSource, error) {
	parse, err := parserOf(path, further)
	if err != nil {
		return nil, fmt.Errorf("vectors: %s: %w", path, err)
	}
	m, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	return sourceOf(path, m, parse)
}

// sourceOf reads the layout of a mapped file, and unmaps one that has none.
func sourceOf(path string, m *mapping, parse func([]byte) (layout, error)) (*fileSource, error) {
	var l layout
	err := errors.New("the file is empty")
	if m.size > 0 {
		l, err = parseFile(parse, m.data)
	}
	if err == nil && l.n == 0 {
		err = errors.New("no rows")
	}
	if err != nil {
		m.close()
		return nil, fmt.Errorf("vectors: %s: %w", path, err)
	}
	return &fileSource{path: path, m: m, layout: l}, nil
}

// concatenation is several files in order.
type concatenation struct {
	parts []*fileSource
	n     int
}

func (c *concatenation) first() *fileSource {
	if len(c.parts) == 0 {
		return nil
	}
	return c.parts[0]
}

func (c *concatenation) add(s *fileSource) {
	c.parts = append(c.parts, s)
	c.n += s.n
}

func (c *concatenation) Len() int   { return c.n }
func (c *concatenation) Dim() int   { return c.parts[0].dim }
func (c *concatenation) Type() Type { return c.parts[0].typ }

func (c *concatenation) ReadRows(first int, dst []byte) error {
	size := c.Dim() * c.Type().Size()
	for _, s := range c.parts {
		if first >= s.n {
			first -= s.n
			continue
		}
		n := min(s.n-first, len(dst)/size)
		if n == 0 {
			return nil
		}
		if err := s.ReadRows(first, dst[:n*size]); err != nil {
			return err
		}
		first, dst = 0, dst[n*size:]
	}
	if len(dst) > 0 {
		return fmt.Errorf("vectors: %d bytes of rows asked beyond the last of %d", len(dst), c.n)
	}
	return nil
}

// packing is the compression that a name ends in, "" for none.
func packing(path string) string {
	lower := strings.ToLower(path)
	for _, ext := range []string{".gz", ".zst"} {
		if strings.HasSuffix(lower, ext) {
			return ext
		}
	}
	return ""
}
