package groups

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// A region is an unnamed file with the rows of a batch, group by group. Several goroutines write each range
// once and read it once.
type region struct {
	*os.File
	named bool         // the file still has its name: some systems cannot remove open files
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

// expect brings a range that is read soon into the system's cache. It reads and discards it, which works on
// every system. A read error is reported by the later read.
func (f *region) expect(from, size int64) {
	_, _ = io.Copy(io.Discard, io.NewSectionReader(f.File, from, size))
}

// giveBack frees the space of a range that is not read again.
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
