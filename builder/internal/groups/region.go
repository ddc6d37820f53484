package groups

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// A region is a file without a name in which the rows of a batch stand side by side. Ranges of it are written once
// and read once, by several goroutines.
type region struct {
	*os.File
	named bool         // still: some systems do not remove open files
	left  atomic.Int64 // bytes written and not given back
}

func newRegion(dir string) (*region, error) {
	f, err := os.CreateTemp(dir, "rows-")
	if err != nil {
		return nil, fmt.Errorf("groups: %w", err)
	}
	return &region{File: f, named: os.Remove(f.Name()) != nil}, nil
}

func (f *region) WriteAt(p []byte, at int64) (int, error) {
	n, err := f.File.WriteAt(p, at)
	f.left.Add(int64(n))
	return n, err
}

// expect has a range come from disk that is read soon. It reads and forgets, which every system understands. A range
// that cannot be read is an error when it is wanted.
func (f *region) expect(from, size int64) {
	_, _ = io.Copy(io.Discard, io.NewSectionReader(f.File, from, size))
}

// giveBack frees bytes that are not read again.
func (f *region) giveBack(from, size int64) {
	giveBack(f.File, from, size)
	f.left.Add(-size)
}

func (f *region) onDisk() int64 { return f.left.Load() }

func (f *region) Close() error {
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
