package affinity

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
)

// messages is the messages along all edges, in the order of the lists: two files
// that take turns, one read and one written.
type messages struct {
	dir      string
	old, new *os.File
	r        *bufio.Reader
	w        *bufio.Writer
	buf      []byte
}

// bufferBytes is the size of a read or write.
const bufferBytes = 1 << 20

// begin makes the file written last the one to read.
func (m *messages) begin() (err error) {
	if m.r == nil {
		m.r, m.w = bufio.NewReaderSize(nil, bufferBytes), bufio.NewWriterSize(nil, bufferBytes)
		for _, f := range []**os.File{&m.old, &m.new} {
			if *f, err = os.CreateTemp(m.dir, "affinity-"); err != nil {
				return fmt.Errorf("affinity: %w", err)
			}
			os.Remove((*f).Name()) // where that goes while it is open, it goes with the process
		}
	}
	m.old, m.new = m.new, m.old
	for _, f := range []*os.File{m.old, m.new} {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("affinity: %w", err)
		}
	}
	m.r.Reset(m.old)
	m.w.Reset(m.new)
	return nil
}

// get reads the messages of one row.
func (m *messages) get(r, a []float64) error {
	m.buf = append(m.buf[:0], make([]byte, 16*len(r))...)
	if _, err := io.ReadFull(m.r, m.buf); err != nil {
		return fmt.Errorf("affinity: messages end before the lists: %w", err)
	}
	for j := range r {
		r[j] = math.Float64frombits(binary.LittleEndian.Uint64(m.buf[16*j:]))
		a[j] = math.Float64frombits(binary.LittleEndian.Uint64(m.buf[16*j+8:]))
	}
	return nil
}

// put writes the messages of one row.
func (m *messages) put(r, a []float64) error {
	m.buf = m.buf[:0]
	for j := range r {
		m.buf = binary.LittleEndian.AppendUint64(m.buf, math.Float64bits(r[j]))
		m.buf = binary.LittleEndian.AppendUint64(m.buf, math.Float64bits(a[j]))
	}
	if _, err := m.w.Write(m.buf); err != nil {
		return fmt.Errorf("affinity: %w", err)
	}
	return nil
}

func (m *messages) end() error {
	if err := m.w.Flush(); err != nil {
		return fmt.Errorf("affinity: %w", err)
	}
	return nil
}

// close removes the files, where they are still there.
func (m *messages) close() error {
	var errs []error
	for _, f := range []*os.File{m.old, m.new} {
		if f != nil {
			errs = append(errs, f.Close())
			if err := os.Remove(f.Name()); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
