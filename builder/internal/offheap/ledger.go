package offheap

import (
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"
	"unsafe"
)

// A Ledger provides large blocks within a limit. A block that does not fit is a mapped file, whose pages the
// kernel may write out and drop: a build then takes longer, with the same result. The zero Ledger has no
// limit. Goroutines may share a Ledger.
type Ledger struct {
	Limit int64  // bytes of anonymous memory; 0: no limit
	Dir   string // where the files go

	used atomic.Int64
	disk atomic.Int64
}

// Used returns the bytes of anonymous memory that the blocks in use take.
func (l *Ledger) Used() int64 { return l.used.Load() }

// Disk returns the bytes of files that the blocks in use take. The files have no names, so no folder shows
// them.
func (l *Ledger) Disk() int64 { return l.disk.Load() }

// Room returns the bytes of anonymous memory that are left.
func (l *Ledger) Room() int64 {
	if l.Limit == 0 {
		return math.MaxInt64
	}
	return max(0, l.Limit-l.used.Load())
}

// TakeMemory returns a block of n zeros in memory, if there is room for it.
func TakeMemory[T element](l *Ledger, n int) (b Block[T], ok bool) {
	size := int64(unsafe.Sizeof(T(0))) * int64(n)
	if used := l.used.Add(size); l.Limit != 0 && used > l.Limit {
		l.used.Add(-size)
		return b, false
	}
	b = Make[T](n)
	b.returns = func() { l.used.Add(-size) }
	return b, true
}

// Take returns a block of n zeros. The space of a file is reserved at once, so that a full disk is an error
// here, not a fault later.
func Take[T element](l *Ledger, n int) (Block[T], error) {
	if b, ok := TakeMemory[T](l, n); ok {
		return b, nil
	}
	size := int64(unsafe.Sizeof(T(0))) * int64(n)
	memory, err := mapScratch(l.Dir, size)
	if err != nil {
		return Block[T]{}, fmt.Errorf("offheap: %d bytes in %s: %w", size, l.Dir, err)
	}
	l.disk.Add(size)
	b := over[T](memory, n)
	b.returns = func() { l.disk.Add(-size) }
	return b, nil
}

// TakeFile is Take, except that a block beyond the limit is the beginning of f: it has the bytes of the file,
// all writes to it stay there, and the caller counts its disk.
func TakeFile[T element](l *Ledger, f *os.File, n int) (b Block[T], mapped bool, err error) {
	if b, ok := TakeMemory[T](l, n); ok {
		return b, false, nil
	}
	size := int64(unsafe.Sizeof(T(0))) * int64(n)
	err = reserve(f, size) // the file may have holes
	var memory []byte
	if err == nil {
		memory, err = mapFile(f, size)
	}
	if err != nil {
		return b, false, fmt.Errorf("offheap: %d bytes of %s: %w", size, f.Name(), err)
	}
	return over[T](memory, n), true, nil
}

// fill allocates space by writing the bytes that the file has, and zeros after them, if there is no other
// way: with holes in the file, the first page that a full disk refuses would end the process.
func fill(f *os.File, size int64) error {
	for at, piece := int64(0), make([]byte, 1<<20); at < size; at += int64(len(piece)) {
		piece = piece[:min(size-at, int64(len(piece)))]
		n, err := f.ReadAt(piece, at)
		if err != nil && err != io.EOF {
			return err
		}
		clear(piece[n:])
		if _, err := f.WriteAt(piece, at); err != nil {
			return err
		}
	}
	return nil
}

// mapScratch maps a new unnamed file.
func mapScratch(dir string, size int64) ([]byte, error) {
	f, err := os.CreateTemp(dir, "pages-")
	if err != nil {
		return nil, err
	}
	defer f.Close() // the mapping outlives the descriptor
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	if err := reserve(f, size); err != nil {
		return nil, err
	}
	return mapFile(f, size)
}
