package store

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/knng/knng/store/internal/rooted"
)

// idLine is an external id, where it stands in its file, from 1, and the row that it
// names.
type idLine struct {
	row, line uint32
	id        []byte
}

func (e idLine) compare(f idLine) int {
	return cmp.Or(bytes.Compare(e.id, f.id), cmp.Compare(e.line, f.line))
}

// idRunBytes is the text of a sorted run, and idRunLines how many ids it has at most:
// 8 MiB each.
var idRunBytes = 8 << 20 // a variable for tests

const idRunLines = 1 << 18

// idRunBuffer is the size of the buffer of each run during the merge: a billion ids make
// some four thousand runs.
const idRunBuffer = 16 << 10

// idsSorted is the file of runs.
const idsSorted = "ids-sorted"

// idSorter sorts ids by runs that fit in memory, and merges the runs.
type idSorter struct {
	dir   *rooted.Dir // for the file of runs
	text  []byte      // of the run in memory; its ids lie in it
	lines []idLine    // of the run in memory
	file  *os.File    // runs, one after the other; nil before the first
	ends  []int64     // of the runs in it
}

// add adds an id, of which it keeps a copy.
func (s *idSorter) add(e idLine) error {
	if s.text == nil {
		s.text = make([]byte, 0, idRunBytes+maxID)
	}
	if len(s.text)+len(e.id) > cap(s.text) || len(s.lines) == idRunLines {
		if err := s.spill(); err != nil {
			return err
		}
	}
	at := len(s.text)
	s.text = append(s.text, e.id...)
	e.id = s.text[at:]
	s.lines = append(s.lines, e)
	return nil
}

// spill sorts the run in memory and writes it.
func (s *idSorter) spill() (err error) {
	slices.SortFunc(s.lines, idLine.compare)
	if s.file == nil { // over what a crash left
		if s.file, err = s.dir.Create(idsSorted); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	w := bufio.NewWriterSize(s.file, 1<<20)
	var head []byte
	end := s.end()
	for _, e := range s.lines {
		head = binary.AppendUvarint(head[:0], uint64(len(e.id)))
		head = binary.AppendUvarint(binary.AppendUvarint(head, uint64(e.row)), uint64(e.line))
		w.Write(head)
		w.Write(e.id)
		end += int64(len(head) + len(e.id))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	s.ends = append(s.ends, end)
	s.text, s.lines = s.text[:0], s.lines[:0]
	return nil
}

// end is that of the last run.
func (s *idSorter) end() int64 {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// each calls fn with all ids, sorted. An id is valid during the call.
func (s *idSorter) each(fn func(e idLine) error) error {
	if s.file == nil {
		slices.SortFunc(s.lines, idLine.compare)
		for _, e := range s.lines {
			if err := fn(e); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.text, s.lines = nil, nil
	var m idMerger
	from := int64(0)
	for _, end := range s.ends {
		run := io.NewSectionReader(s.file, from, end-from)
		if err := m.push(&idRun{r: bufio.NewReaderSize(run, idRunBuffer)}); err != nil {
			return err
		}
		from = end
	}
	for len(m) > 0 {
		if err := fn(m[0].first); err != nil {
			return err
		}
		if err := m.advance(); err != nil {
			return err
		}
	}
	return nil
}

// close removes the runs.
func (s *idSorter) close() {
	if s.file != nil {
		s.file.Close()
		_ = s.dir.Remove(idsSorted)
	}
}

// idRun is a sorted run that is being read.
type idRun struct {
	r     *bufio.Reader
	first idLine // of what is left
}

// next reads the next id; io.EOF where there is none.
func (r *idRun) next() error {
	n, err := binary.ReadUvarint(r.r)
	if err != nil {
		return err // io.EOF between two ids
	}
	row, err := binary.ReadUvarint(r.r)
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	line, err := binary.ReadUvarint(r.r)
	if err != nil || n > maxID {
		return io.ErrUnexpectedEOF
	}
	r.first = idLine{uint32(row), uint32(line), slices.Grow(r.first.id[:0], int(n))[:n]}
	_, err = io.ReadFull(r.r, r.first.id)
	return err
}

// idMerger is a heap of runs by their first ids.
type idMerger []*idRun

func (m idMerger) Len() int           { return len(m) }
func (m idMerger) Less(i, j int) bool { return m[i].first.compare(m[j].first) < 0 }
func (m idMerger) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *idMerger) Push(r any)        { *m = append(*m, r.(*idRun)) }
func (m *idMerger) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// push adds a run, unless it is empty.
func (m *idMerger) push(r *idRun) error {
	err := r.next()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		heap.Push(m, r)
		return nil
	}
	return fmt.Errorf("store: a run of sorted ids: %w", err)
}

// advance goes on to the next id of all.
func (m *idMerger) advance() error {
	err := (*m)[0].next()
	switch {
	case err == nil:
		heap.Fix(m, 0)
	case errors.Is(err, io.EOF):
		heap.Pop(m)
	default:
		return fmt.Errorf("store: a run of sorted ids: %w", err)
	}
	return nil
}
