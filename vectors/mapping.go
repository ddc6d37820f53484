package vectors

import (
	"fmt"
	"os"

	"github.com/edsrzf/mmap-go"
)

// mapping is a file mapped for reading.
type mapping struct {
	path string
	data mmap.MMap // nil for an empty file, which cannot be mapped, and once closed
	size int64
}

func mapFile(path string) (*mapping, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait for who writes
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("vectors: %s: not a regular file, so it cannot be mapped", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	defer f.Close() // the mapping outlives the descriptor
	return mapOpened(f, path)
}

// mapOpened maps an open file, which errors call path.
func mapOpened(f *os.File, path string) (*mapping, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	m := &mapping{path: path, size: info.Size()}
	if m.size == 0 {
		return m, nil
	}
	if m.data, err = mmap.Map(f, mmap.RDONLY, 0); err != nil {
		return nil, fmt.Errorf("vectors: map %s: %w", path, err)
	}
	return m, nil
}

// open returns an error once the mapping is closed. m may be nil, for rows in memory.
func (m *mapping) open() error {
	if m == nil || m.data != nil || m.size == 0 {
		return nil
	}
	return fmt.Errorf("vectors: %s: rows read: %w", m.path, os.ErrClosed)
}

func (m *mapping) close() error {
	if m.data == nil {
		return nil
	}
	err := m.data.Unmap()
	m.data = nil
	return err
}
