package vectors

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// A Remote is a file of another machine that is fetched piece by piece. See OpenOptions.Remote.
type Remote interface {
	// File is a file of this machine that is as long, and equal to it where Need was called.
	// It is mapped, and open until Close.
	File() *os.File
	Size() int64
	// Need makes bytes from up to to be there. Many goroutines may call it at once.
	Need(from, to int64) error
	// Direct reads some bytes here and there, without keeping them in File. Many goroutines
	// may read at once.
	Direct() io.ReaderAt
	Close() error
}

// address reports whether a path is the address of a file elsewhere.
func address(path string) bool { return strings.Contains(path, "://") }

// openRemote describes a remote file, and maps what is fetched of it.
func (in *Input) openRemote(path string, opts *OpenOptions) (file File, s *fileSource, err error) {
	parse, err := parserOf(path, opts.Formats)
	if err != nil {
		return file, nil, fmt.Errorf("vectors: %s: %w", path, err)
	}
	r, err := opts.Remote(path)
	if err != nil {
		return file, nil, remoteError(err)
	}
	file = File{Path: path, Size: r.Size()}
	if file.Sample, err = Sample(r.Direct(), r.Size()); err == nil {
		err = r.Need(0, headerBytes)
	}
	err = remoteError(err)
	var m *mapping
	if err == nil {
		m, err = mapOpened(r.File(), path)
	}
	if err == nil {
		s, err = sourceOf(path, m, parse)
	}
	if err != nil {
		r.Close() // the error before it says more
		return file, nil, err
	}
	s.need = r.Need
	in.closers = append(in.closers, s.m.close, r.Close)
	return file, s, nil
}

// fetch makes rows be in the mapping. It is an error after Close.
func (s *fileSource) fetch(first, n int) error {
	if err := s.m.open(); err != nil || s.need == nil {
		return err
	}
	from, to := int64(s.offset+first*s.stride), int64(s.offset+(first+n)*s.stride)
	if s.prefixed {
		from -= 4
	}
	if s.fortran {
		from, to = 0, s.m.size
	}
	if err := remoteError(s.need(from, to)); err != nil {
		return fmt.Errorf("vectors: %s, rows %d to %d: %w", s.path, first, first+n, err)
	}
	return nil
}
