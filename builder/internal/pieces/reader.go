package pieces

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/cespare/xxhash/v2"
)

// ErrDamaged says that a piece differs from the one written.
var ErrDamaged = errors.New("damaged")

// A Piece is open for reading.
type Piece struct {
	file  ReadFile
	name  string
	index []byte
}

// Open opens a piece of a run.
func Open(folder Folder, run, name string) (*Piece, error) {
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	p := &Piece{file: f, name: name}
	if err := p.readIndex(run); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

// damaged returns the error of a piece that differs from the one written.
func (p *Piece) damaged(format string, args ...any) error {
	return fmt.Errorf("pieces: %s is %w: %s; remove it and give the command again", p.name, ErrDamaged, fmt.Sprintf(format, args...))
}

// Damaged returns the error of inconsistent content.
func (p *Piece) Damaged(err error) error { return p.damaged("%v", err) }

func (p *Piece) readIndex(run string) error {
	size := p.file.Size()
	if size < headerBytes+endBytes {
		return p.damaged("it has %d bytes, want at least %d", size, headerBytes+endBytes)
	}
	header, end := make([]byte, headerBytes), make([]byte, endBytes)
	if err := p.readAt(header, 0); err != nil {
		return err
	}
	if err := p.readAt(end, size-endBytes); err != nil {
		return err
	}
	at, n := binary.LittleEndian.Uint64(end), binary.LittleEndian.Uint64(end[8:])
	switch {
	case string(header[:8]) != magic || string(end[32:]) != doneMagic:
		return p.damaged("it does not begin and end as a piece does")
	case binary.LittleEndian.Uint32(header[8:]) != version:
		return p.damaged("it has format %d, want %d", binary.LittleEndian.Uint32(header[8:]), version)
	case string(header[16:]) != run:
		return p.damaged("it belongs to run %q, want %q", header[16:], run)
	case xxhash.Sum64(end[:24]) != binary.LittleEndian.Uint64(end[24:]):
		return p.damaged("the checksum at byte %d differs", size-16)
	case n > uint64(size)/entryBytes || at != uint64(size)-endBytes-n*entryBytes:
		return p.damaged("%d sections end at byte %d of %d", n, at, size)
	}
	p.index = make([]byte, n*entryBytes)
	if err := p.readAt(p.index, int64(at)); err != nil {
		return err
	}
	if sumOf(header, p.name, p.index) != binary.LittleEndian.Uint64(end[16:]) {
		return p.damaged("the checksum of its index differs, or it has another piece's name")
	}
	return nil
}

func (p *Piece) readAt(buf []byte, at int64) error {
	if n, err := p.file.ReadAt(buf, at); n < len(buf) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("pieces: %s: byte %d: %w", p.name, at, err)
	}
	return nil
}

func (p *Piece) entry(i int) (e entry) {
	b := p.index[i*entryBytes:]
	return entry{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])}
}

func (p *Piece) find(key uint64) (e entry, ok bool) {
	n := len(p.index) / entryBytes
	i := sort.Search(n, func(i int) bool { return p.entry(i).key >= key })
	if i == n || p.entry(i).key != key {
		return e, false
	}
	return p.entry(i), true
}

// Size returns the bytes of a section; 0 if there is none.
func (p *Piece) Size(key uint64) int64 {
	e, _ := p.find(key)
	return int64(e.size)
}

// chunkBytes is the size of the parts in which a section is read.
const chunkBytes = 1 << 20

// Each calls fn with the bytes of a section, at most about a megabyte at a time, in whole records of so many
// bytes. It does nothing if there is no such section. The data may be damaged until Each returns nil.
func (p *Piece) Each(key uint64, record int, fn func(data []byte) error) error {
	e, _ := p.find(key)
	if e.size%uint64(record) != 0 {
		return p.damaged("section %d has %d bytes, want a multiple of %d", key, e.size, record)
	}
	buf := make([]byte, min(e.size, uint64(max(1, chunkBytes/record)*record)))
	sum := xxhash.New()
	for at := uint64(0); at < e.size; at += uint64(len(buf)) {
		buf = buf[:min(uint64(len(buf)), e.size-at)]
		if err := p.readAt(buf, int64(e.from+at)); err != nil {
			return err
		}
		sum.Write(buf)
		if err := fn(buf); err != nil {
			return err
		}
	}
	if e.size > 0 && sum.Sum64() != e.sum {
		return p.damaged("the checksum of section %d, bytes %d to %d, differs", key, e.from, e.from+e.size)
	}
	return nil
}

// Get appends a section to buf.
func (p *Piece) Get(key uint64, buf []byte) ([]byte, error) {
	e, ok := p.find(key)
	if !ok {
		return buf, nil
	}
	from := len(buf)
	buf = append(buf, make([]byte, e.size)...)
	if err := p.readAt(buf[from:], int64(e.from)); err != nil {
		return nil, err
	}
	if xxhash.Sum64(buf[from:]) != e.sum {
		return nil, p.damaged("the checksum of section %d, bytes %d to %d, differs", key, e.from, e.from+e.size)
	}
	return buf, nil
}

// Note reads the section that Writer.Note wrote.
func (p *Piece) Note(v any) error {
	data, err := p.Get(NoteKey, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return p.damaged("its note: %v", err)
	}
	return nil
}

// Note writes v as JSON.
func (w *Writer) Note(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("pieces: %w", err)
	}
	w.Put(NoteKey, data)
	return nil
}

// Close closes the piece.
func (p *Piece) Close() error { return p.file.Close() }
