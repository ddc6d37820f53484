package vectors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"
)

// A File describes one input file as the manifest keeps it.
type File struct {
	Path    string `json:"path"`    // absolute; "-" for stdin
	Rows    int    `json:"rows"`    // rows that it contributes
	First   int    `json:"first"`   // the first of them: its range is First to First+Rows
	Size    int64  `json:"size"`    // bytes; of stdin those read
	ModTime int64  `json:"modtime"` // Unix nanoseconds
	// Sample is an xxhash64 over the size and up to 64 blocks of 4 KiB spread
	// evenly over the file, first and last included. A resumed build
	// checks it instead of reading everything again. Of stdin it is over all bytes read.
	Sample uint64 `json:"sample"`
	// Column is the array of an archive, or "" for its only one.
	Column string `json:"column,omitempty"`
	// Cut says that rows were left out because of OpenOptions.Limit.
	Cut bool `json:"cut,omitempty"`
}

// Check reports how the file on disk differs from its description. A new
// modification time alone is no difference.
func (f File) Check() error {
	_, err := f.Touched()
	return err
}

// Touched is Check, and reports whether the file has a new modification time: it may then
// differ where the sample does not look.
func (f File) Touched() (bool, error) {
	now, err := Describe(f.Path)
	if err != nil {
		return false, err
	}
	return now.ModTime != f.ModTime, f.Same(now)
}

// Same reports how another description of the file differs in size or sample.
func (f File) Same(now File) error {
	if now.Size != f.Size {
		return fmt.Errorf("vectors: %s: %d bytes, it had %d", f.Path, now.Size, f.Size)
	}
	if now.Sample != f.Sample {
		return fmt.Errorf("vectors: %s: its contents have changed (sampled blocks hash to %016x, they did to %016x)", f.Path, now.Sample, f.Sample)
	}
	return nil
}

// RowName names a row of some files for people: by its file and its number there.
func RowName(files []File, row int) string {
	for _, f := range files {
		if f.Path == "-" || row < f.First || row >= f.First+f.Rows {
			continue
		}
		name := fmt.Sprintf("row %d of %s", row-f.First, f.Path)
		if f.First > 0 {
			name += fmt.Sprintf(" (row %d of all)", row)
		}
		return name
	}
	return fmt.Sprintf("row %d", row)
}

const (
	sampleBlocks = 64
	sampleBytes  = 4096
	sampleReads  = 16 // at once: files elsewhere answer each after tens of milliseconds
)

// Describe describes a file as a manifest does, without the fields that need its rows: Rows, First,
// Column and Cut. It reads up to 64 blocks of 4 KiB. Errors: ErrUsage for a folder or a pipe, and those
// of the system.
func Describe(path string) (File, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return File{}, fmt.Errorf("vectors: %w", err)
	}
	info, err := os.Stat(path) // before it is opened: a pipe would wait for who writes
	if fault := (*fs.PathError)(nil); errors.As(err, &fault) {
		return File{}, fmt.Errorf("vectors: %s: %w", path, fault.Err)
	}
	if err != nil {
		return File{}, fmt.Errorf("vectors: %w", err)
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return File{}, Misused(fmt.Errorf("vectors: %s is a folder, want a file of vectors", path))
	case !mode.IsRegular():
		return File{}, Misused(fmt.Errorf("vectors: %s is no regular file; what comes through a pipe is read as \"-\"", path))
	}
	f, err := os.Open(path)
	if err != nil {
		return File{}, fmt.Errorf("vectors: %w", err)
	}
	defer f.Close()
	sum, err := Sample(f, info.Size())
	if err != nil {
		return File{}, fmt.Errorf("vectors: %s: %w", path, err)
	}
	return File{Path: abs, Size: info.Size(), ModTime: info.ModTime().UnixNano(), Sample: sum}, nil
}

// Sample hashes the size of a file and up to 64 blocks of it, as File.Sample does.
func Sample(f io.ReaderAt, size int64) (uint64, error) {
	blocks := min((size+sampleBytes-1)/sampleBytes, sampleBlocks)
	read := make([][]byte, blocks)
	var g errgroup.Group
	g.SetLimit(sampleReads)
	for i := range blocks {
		g.Go(func() error {
			at := int64(0)
			if blocks > 1 {
				at = max(0, size-sampleBytes) * i / (blocks - 1)
			}
			block := make([]byte, sampleBytes)
			n, err := f.ReadAt(block, at)
			if err == io.EOF {
				err = nil
			}
			read[i] = block[:n]
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	h := xxhash.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(size)))
	for _, block := range read {
		h.Write(block)
	}
	return h.Sum64(), nil
}

// fileSource is one mapped input file.
type fileSource struct {
	path string
	m    *mapping
	need func(from, to int64) error // makes bytes of the mapping be there; nil: all are
	layout
}

func (s *fileSource) Len() int   { return s.n }
func (s *fileSource) Dim() int   { return s.dim }
func (s *fileSource) Type() Type { return s.typ }

// ReadRows copies rows, and checks the bytes between them.
func (s *fileSource) ReadRows(first int, dst []byte) error {
	size := s.dim * s.typ.Size()
	n := len(dst) / size
	if first < 0 || n > s.n-first || n*size != len(dst) {
		return fmt.Errorf("vectors: %s: rows %d to %d asked, it has %d", s.path, first, first+n, s.n)
	}
	if err := s.fetch(first, n); err != nil {
		return err
	}
	var err error
	fault := guard(func() {
		if s.fortran {
			err = s.gather(first, n, dst)
			return
		}
		for i := range n {
			if err = s.copyRow(first+i, dst[i*size:(i+1)*size]); err != nil {
				return
			}
		}
	})
	if fault != nil {
		return fmt.Errorf("%w: %s, rows %d to %d", fault, s.path, first, first+n)
	}
	return Refused(err)
}

func (s *fileSource) copyRow(row int, dst []byte) error {
	at := s.offset + row*s.stride
	if s.prefixed {
		if dim := int32(binary.LittleEndian.Uint32(s.m.data[at-4:])); int(dim) != s.dim {
			return fmt.Errorf("vectors: %s: row %s at byte %s: dimension %d, want %d", s.path, grouped(row), grouped(at-4), dim, s.dim)
		}
	}
	if s.from.same() {
		copy(dst, s.m.data[at:])
		return nil
	}
	if err := s.from.convert(dst, s.m.data[at:at+s.stride]); err != nil {
		return fmt.Errorf("vectors: %s: row %s, %w", s.path, grouped(row), err)
	}
	return nil
}

// gather reads n rows of a file in Fortran order, a column at a time.
func (s *fileSource) gather(first, n int, dst []byte) error {
	to, raw := s.typ.Size(), s.from.size
	row := s.dim * to
	for j := range s.dim {
		column := s.m.data[s.offset+(j*s.n+first)*raw:]
		for i := range n {
			if err := s.from.one(dst[i*row+j*to:], column[i*raw:]); err != nil {
				return fmt.Errorf("vectors: %s: row %s, column %d: %w", s.path, grouped(first+i), j, err)
			}
		}
	}
	return nil
}
