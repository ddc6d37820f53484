package groups

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/knng/knng/builder/internal/offheap"
)

// A region is where the rows of a batch stand side by side. Ranges of it are written once
// and read once, by several goroutines.
type region interface {
	io.WriterAt
	io.ReaderAt
	expect(from, size int64)   // a range that is read soon
	giveBack(from, size int64) // bytes that are not read again
	onDisk() int64
	Close() error
}

// region makes room for so many bytes.
func (l *Leaves) region(size int64, dir string) (region, error) {
	if memory, ok := offheap.TakeMemory[byte](l.Memory, int(size)); ok {
		return &inMemory{memory}, nil
	}
	f, err := os.CreateTemp(dir, "rows-")
	if err != nil {
		return nil, fmt.Errorf("groups: %w", err)
	}
	return &inFile{File: f, named: os.Remove(f.Name()) != nil}, nil
}

// inMemory is a region that the disk never sees.
type inMemory struct{ block offheap.Block[byte] }

func (m *inMemory) WriteAt(p []byte, at int64) (int, error) { return copy(m.block.Slice[at:], p), nil }
func (m *inMemory) ReadAt(p []byte, at int64) (int, error)  { return copy(p, m.block.Slice[at:]), nil }
func (m *inMemory) expect(int64, int64)                     {}
func (m *inMemory) giveBack(int64, int64)                   {}
func (m *inMemory) onDisk() int64                           { return 0 }

func (m *inMemory) Close() error {
	m.block.Free()
	return nil
}

// inFile is a region in a file without a name.
type inFile struct {
	*os.File
	named bool // still: some systems do not remove open files
	left  atomic.Int64
}

func (f *inFile) WriteAt(p []byte, at int64) (int, error) {
	n, err := f.File.WriteAt(p, at)
	f.left.Add(int64(n))
	return n, err
}

// expect reads and forgets, which every system understands. A range that cannot be read is an error
// when it is wanted.
func (f *inFile) expect(from, size int64) {
	_, _ = io.Copy(io.Discard, io.NewSectionReader(f.File, from, size))
}

func (f *inFile) giveBack(from, size int64) {
	giveBack(f.File, from, size)
	f.left.Add(-size)
}

func (f *inFile) onDisk() int64 { return f.left.Load() }

func (f *inFile) Close() error {
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
