package export

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/knng/knng/vectors/aside"
)

// edges is a temporary file of lists of any length, read in passes: for every
// row u32 entries, then for each u32 neighbor and f32 distance.
type edges struct {
	f    *aside.File
	w    *bufio.Writer
	rows int
}

func createEdges(path string, rows int) (*edges, error) {
	f, err := aside.Create(path)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return &edges{f: f, w: bufio.NewWriterSize(f, writeBytes), rows: rows}, nil
}

func (e *edges) append(row []entry) error {
	put32(e.w, uint32(len(row)))
	for _, to := range row {
		put32(e.w, to.neighbor)
		putFloat(e.w, to.distance)
	}
	if err := failed(e.w); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// finish ends the writing.
func (e *edges) finish() error {
	if err := e.w.Flush(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	e.w = nil
	return nil
}

// each reads the file from its beginning.
func (e *edges) each(fn visit) error {
	if _, err := e.f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	r := bufio.NewReaderSize(e.f, writeBytes)
	var neighbors []uint32
	var distances []float32
	var b [8]byte
	for row := range e.rows {
		neighbors, distances = neighbors[:0], distances[:0]
		if _, err := io.ReadFull(r, b[:4]); err != nil {
			return fmt.Errorf("export: %s: row %d: %w", e.f.Name(), row, err)
		}
		for range binary.LittleEndian.Uint32(b[:]) {
			if _, err := io.ReadFull(r, b[:]); err != nil {
				return fmt.Errorf("export: %s: row %d: %w", e.f.Name(), row, err)
			}
			neighbors = append(neighbors, binary.LittleEndian.Uint32(b[:]))
			distances = append(distances, math.Float32frombits(binary.LittleEndian.Uint32(b[4:])))
		}
		if err := fn(uint32(row), neighbors, distances); err != nil {
			return err
		}
	}
	return nil
}

func (e *edges) remove() {
	e.f.Abort()
}
