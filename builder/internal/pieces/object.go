package pieces

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/knng/knng/vectors/objects"
)

// Objects is a folder of an object store: the address with which all its names begin.
type Objects string

func (o Objects) at(name string) string { return strings.TrimSuffix(string(o), "/") + "/" + name }

// Create begins a file in the scratch folder of the system; Commit makes an object of it.
func (o Objects) Create(name string) (File, error) {
	f, err := os.CreateTemp("", "knng-piece-")
	if err != nil {
		return nil, fmt.Errorf("pieces: %w", err)
	}
	return &objectWriter{f, o.at(name)}, nil
}

type objectWriter struct {
	*os.File // nil after its end
	at       string
}

func (w *objectWriter) Commit() error {
	err := w.File.Sync()
	if err == nil {
		err = objects.Put(w.at, w.Name())
	}
	if err != nil {
		return fmt.Errorf("pieces: %w", err)
	}
	return w.Abort()
}

func (w *objectWriter) Abort() error {
	if w.File == nil {
		return nil
	}
	w.File.Close() // it is removed
	err := os.Remove(w.Name())
	w.File = nil
	return err
}

// Open opens an object.
func (o Objects) Open(name string) (ReadFile, error) {
	size, err := objects.Size(o.at(name))
	if err != nil {
		return nil, fmt.Errorf("pieces: %w", err)
	}
	return &objectReader{at: o.at(name), size: size}, nil
}

// aheadBytes is the least number of bytes to fetch. With it, header, end and index of a piece, and sections
// that are read in chunks, cost few requests.
const aheadBytes = 1 << 20

// objectReader reads ranges of an object, and keeps the last one that it fetched.
type objectReader struct {
	at   string
	size int64

	mu   sync.Mutex
	kept []byte
	from int64 // of kept
}

func (r *objectReader) Size() int64  { return r.size }
func (r *objectReader) Close() error { return nil }

func (r *objectReader) ReadAt(buf []byte, at int64) (int, error) {
	if at < 0 || at >= r.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(buf)), r.size-at))
	r.mu.Lock()
	defer r.mu.Unlock()
	if at < r.from || at+int64(n) > r.from+int64(len(r.kept)) {
		if err := r.fetch(at, n); err != nil {
			return 0, err
		}
	}
	copy(buf[:n], r.kept[at-r.from:])
	if n < len(buf) {
		return n, io.EOF
	}
	return n, nil
}

// fetch keeps at least n bytes from at on. A range near the end is fetched with all bytes after it, because
// the index is there.
func (r *objectReader) fetch(at int64, n int) error {
	from, to := at, min(r.size, at+max(int64(n), aheadBytes))
	if to == r.size {
		from = max(0, min(at, r.size-aheadBytes))
	}
	data, err := objects.Read(r.at, from, to)
	if err != nil {
		return err
	}
	r.kept, r.from = data, from
	return nil
}

// List returns the names of objects.
func (o Objects) List(name string) ([]string, error) {
	names, err := objects.List(o.at(name))
	if err != nil {
		return nil, fmt.Errorf("pieces: %w", err)
	}
	return names, nil
}

// Remove removes objects.
func (o Objects) Remove(name string) error {
	if err := objects.Remove(o.at(name)); err != nil {
		return fmt.Errorf("pieces: %w", err)
	}
	return nil
}
