package pieces

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"
)

const (
	magic       = "KNNGPIEC"
	doneMagic   = "KNNGDONE"
	version     = 1
	headerBytes = 32
	entryBytes  = 32
	endBytes    = 40
	runBytes    = 16
)

// NoteKey is the key of the section that Note writes.
const NoteKey = math.MaxUint64

// A Writer writes a piece.
type Writer struct {
	file    File
	name    string
	header  []byte
	at      int64 // beginning of the next section
	entries []entry
	err     error // the first one
}

type entry struct{ key, from, size, sum uint64 }

// Create begins the piece of a run, whose identity has 16 bytes.
func Create(folder Folder, run, name string) (*Writer, error) {
	if len(run) != runBytes {
		return nil, fmt.Errorf("pieces: run %q, want %d bytes", run, runBytes)
	}
	f, err := folder.Create(name)
	if err != nil {
		return nil, err
	}
	header := append([]byte(magic), 0, 0, 0, 0, 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(header[8:], version)
	w := &Writer{file: f, name: name, header: append(header, run...), at: headerBytes}
	w.writeAt(w.header, 0)
	return w, nil
}

func (w *Writer) writeAt(p []byte, at int64) {
	if w.err != nil {
		return
	}
	if _, err := w.file.WriteAt(p, at); err != nil {
		w.err = fmt.Errorf("pieces: %s: %w", w.name, err)
	}
}

// Section begins a section of a known size. Sections may be written in parallel, each by one goroutine at a
// time; all their bytes must be written.
func (w *Writer) Section(key uint64, size int64) *Section {
	s := &Section{w: w, entry: len(w.entries), at: w.at, end: w.at + size, sum: xxhash.New()}
	w.entries = append(w.entries, entry{key: key, from: uint64(w.at), size: uint64(size)})
	w.at += size
	return s
}

// Put writes a whole section.
func (w *Writer) Put(key uint64, data []byte) {
	s := w.Section(key, int64(len(data)))
	s.Write(data)
	s.End()
}

// A Section is a section that is being written.
type Section struct {
	w       *Writer
	entry   int
	at, end int64
	sum     *xxhash.Digest
}

// Write appends to the section. Commit returns its error too.
func (s *Section) Write(p []byte) (int, error) {
	if s.at+int64(len(p)) > s.end && s.w.err == nil {
		s.w.err = fmt.Errorf("pieces: %s: section %d gets more bytes than were reserved", s.w.name, s.entry)
	}
	s.w.writeAt(p, s.at)
	s.at += int64(len(p))
	s.sum.Write(p)
	return len(p), s.w.err
}

// End ends the section.
func (s *Section) End() {
	if s.at != s.end && s.w.err == nil {
		s.w.err = fmt.Errorf("pieces: %s: section %d has %d bytes fewer than were reserved", s.w.name, s.entry, s.end-s.at)
	}
	s.w.entries[s.entry].sum = s.sum.Sum64()
}

// Commit writes the index and gives the piece its name.
func (w *Writer) Commit() error {
	slices.SortFunc(w.entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	index := make([]byte, 0, entryBytes*len(w.entries)+endBytes)
	for _, e := range w.entries {
		for _, x := range []uint64{e.key, e.from, e.size, e.sum} {
			index = binary.LittleEndian.AppendUint64(index, x)
		}
	}
	sum := sumOf(w.header, w.name, index)
	end := len(index)
	for _, x := range []uint64{uint64(w.at), uint64(len(w.entries)), sum} {
		index = binary.LittleEndian.AppendUint64(index, x)
	}
	index = binary.LittleEndian.AppendUint64(index, xxhash.Sum64(index[end:]))
	w.writeAt(append(index, doneMagic...), w.at)
	if w.err != nil {
		return w.err
	}
	if err := w.file.Commit(); err != nil {
		return fmt.Errorf("pieces: %s: %w", w.name, err)
	}
	return nil
}

// Abort drops the piece; after Commit it does nothing.
func (w *Writer) Abort() error { return w.file.Abort() }

func sumOf(header []byte, name string, index []byte) uint64 {
	d := xxhash.New()
	d.Write(header)
	d.WriteString(name)
	d.Write(index)
	return d.Sum64()
}
