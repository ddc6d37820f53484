package recall

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// Truth is the true nearest neighbors of some rows, as files give them.
type Truth struct {
	K         int       // neighbors of each row
	Rows      []uint32  // the rows, distinct
	Neighbors []uint32  // len(Rows)*K, those of Rows[i] from i*K on, nearest first
	Distances []float32 // beside Neighbors; see TruthDistances for their scale

	// Exponent is that of the power of two by which the graph multiplied its rows (store.Manifest.Scale). Distances are
	// those of rows as they were given; Auto also takes those of the multiplied rows, which a gt export holds.
	Exponent int

	name string // of the file, for errors
}

// List returns the neighbors of Rows[i] and their distances.
func (t *Truth) List(i int) (neighbors []uint32, distances []float32) {
	return t.Neighbors[i*t.K : (i+1)*t.K], t.Distances[i*t.K : (i+1)*t.K]
}

// Name returns the path of the file.
func (t *Truth) Name() string { return t.name }

// ReadTruth reads a big-ann ground truth file,
//
//	u32 m, u32 k, m*k int32 neighbors, m*k float32 distances
//
// and the file that says which rows its m lists belong to,
//
//	u32 m, u32 1, m int32 rows
//
// all little-endian. Without rowsPath the lists are those of rows 0 to m-1. A
// list must be in order of distance and hold neither its own row nor a row
// twice; rows must be distinct. Errors name the file, the list and the byte.
func ReadTruth(gtPath, rowsPath string) (*Truth, error) {
	t := &Truth{name: gtPath}
	data, m, k, err := readMatrix(gtPath, 8)
	if err != nil {
		return nil, err
	}
	t.K, t.Rows = k, make([]uint32, m)
	for i := range t.Rows {
		t.Rows[i] = uint32(i)
	}
	if rowsPath != "" {
		if err := t.readRows(rowsPath); err != nil {
			return nil, err
		}
	}
	t.Neighbors, t.Distances = make([]uint32, m*k), make([]float32, m*k)
	for i := range t.Neighbors {
		t.Neighbors[i] = binary.LittleEndian.Uint32(data[4*i:])
		t.Distances[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*(m*k+i):]))
	}
	for i := range t.Rows {
		if err := t.checkList(i); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// matrixHeader is the bytes before the values of .gt and .ibin files.
const matrixHeader = 8

// readMatrix reads a file of two counts and rows*columns entries of so many
// bytes, whose size must be just that.
func readMatrix(path string, entry int64) (data []byte, rows, columns int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("recall: %w", err)
	}
	defer f.Close()
	var header [matrixHeader]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, 0, 0, fmt.Errorf("recall: %s: too short for the two counts that it should begin with", path)
		}
		return nil, 0, 0, fmt.Errorf("recall: %w", err)
	}
	n, k := int64(binary.LittleEndian.Uint32(header[:])), int64(binary.LittleEndian.Uint32(header[4:]))
	info, err := f.Stat()
	if err != nil {
		return nil, 0, 0, fmt.Errorf("recall: %w", err)
	}
	// Divide, so that no header can overflow the product.
	body := info.Size() - matrixHeader
	if n == 0 || k == 0 || body%entry != 0 || body/entry/n != k || body/entry%n != 0 {
		return nil, 0, 0, fmt.Errorf("recall: %s: %d bytes, but %d x %d entries of %d bytes after a header of %d were announced",
			path, info.Size(), n, k, entry, matrixHeader)
	}
	data = make([]byte, body)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, 0, 0, fmt.Errorf("recall: %s: %w", path, err)
	}
	return data, int(n), int(k), nil
}

func (t *Truth) readRows(path string) error {
	data, m, columns, err := readMatrix(path, 4)
	switch {
	case err != nil:
		return err
	case columns != 1:
		return fmt.Errorf("recall: %s: %d columns, want 1: a list of rows", path, columns)
	case m != len(t.Rows):
		return fmt.Errorf("recall: %s: %d rows, but %s has %d lists", path, m, t.name, len(t.Rows))
	}
	first := make(map[uint32]int, m)
	for i := range t.Rows {
		row := binary.LittleEndian.Uint32(data[4*i:])
		if row > math.MaxInt32 {
			return fmt.Errorf("recall: %s: row %d at byte %d", path, int32(row), matrixHeader+4*i)
		}
		if at, ok := first[row]; ok {
			return fmt.Errorf("recall: %s: row %d twice, at %d and %d", path, row, at, i)
		}
		first[row], t.Rows[i] = i, row
	}
	return nil
}

func (t *Truth) checkList(i int) error {
	neighbors, distances := t.List(i)
	bad := func(j int, format string, args ...any) error {
		return fmt.Errorf("recall: %s: list %d (row %d), neighbor %d at byte %d: %s",
			t.name, i, t.Rows[i], j, matrixHeader+4*(i*t.K+j), fmt.Sprintf(format, args...))
	}
	seen := make(map[uint32]bool, t.K)
	for j, id := range neighbors {
		switch d := distances[j]; {
		case id > math.MaxInt32:
			return bad(j, "row %d", int32(id))
		case id == t.Rows[i]:
			return bad(j, "the row itself; truth must leave it out")
		case seen[id]:
			return bad(j, "row %d for the second time", id)
		case math.IsInf(float64(d), 1):
			return bad(j, "distance %v: where float32 does not hold squared distances, the truth must have plain ones", d)
		case d-d != 0:
			return bad(j, "distance %v", d)
		case j > 0 && d < distances[j-1]:
			return bad(j, "distance %v after %v", d, distances[j-1])
		}
		seen[id] = true
	}
	return nil
}

// Check returns an error if the truth cannot be that of a graph of n rows with lists of k.
func (t *Truth) Check(n, k int) error {
	if k > t.K {
		return fmt.Errorf("recall: %s: lists of %d, too short to judge lists of %d", t.name, t.K, k)
	}
	for i, row := range t.Rows {
		if int64(row) >= int64(n) {
			return fmt.Errorf("recall: %s: list %d is that of row %d, but the graph has %d rows", t.name, i, row, n)
		}
	}
	for at, id := range t.Neighbors {
		if int64(id) >= int64(n) {
			return fmt.Errorf("recall: %s: row %d at byte %d, but the graph has %d rows", t.name, id, matrixHeader+4*at, n)
		}
	}
	return nil
}
