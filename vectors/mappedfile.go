package vectors

import (
	"fmt"
	"os"
)

// A MappedFile is a file mapped for reading. Loops over its bytes run inside
// Guard.
type MappedFile struct{ m *mapping }

// MapFile maps a file. Errors name it.
func MapFile(path string) (*MappedFile, error) {
	m, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	return &MappedFile{m}, nil
}

// MapOpened maps an open regular file, which may be closed afterwards. Errors call it path.
func MapOpened(f *os.File, path string) (*MappedFile, error) {
	m, err := mapOpened(f, path)
	if err != nil {
		return nil, err
	}
	return &MappedFile{m}, nil
}

// Bytes returns all of the file; they are valid until Close.
func (f *MappedFile) Bytes() []byte { return f.m.data }

// Rows returns n rows of dim elements of type t, which begin at byte at of the file, without gaps.
// They share the mapping: closing either closes both.
func (f *MappedFile) Rows(at, n, dim int, t Type) (*Rows, error) {
	if at < 0 || at > len(f.m.data) {
		return nil, fmt.Errorf("vectors: %s: rows from byte %d on, it has %d bytes", f.m.path, at, len(f.m.data))
	}
	r, err := RowsOf(f.m.data[at:], n, dim, dim*t.Size(), t)
	if err != nil {
		return nil, fmt.Errorf("%w, of %s", err, f.m.path)
	}
	r.m, r.name = f.m, f.m.path
	return r, nil
}

// Advise tells the system how the file will be read; see Rows.Advise.
func (f *MappedFile) Advise(a Advice) error { return advise(f.m.data, a) }

// WillNeed asks the system to read bytes from to to-1, in one go and without waiting for them. It is a
// hint, as Advise is. The range may reach beyond the file.
func (f *MappedFile) WillNeed(from, to int) error {
	from -= from % pageBytes
	to = min(to, len(f.m.data))
	if from >= to {
		return nil
	}
	return willNeed(f.m.data[from:to])
}

// Close unmaps the file; further calls do nothing.
func (f *MappedFile) Close() error { return f.m.close() }
