package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// idsPerKey is how many external ids stand in one value.
const idsPerKey = 64

// maxID is the longest external id in bytes.
const maxID = 4096

const idsRecord = "ids"

// CommitIDs stores external ids from a file with one UTF-8 line per input row,
// in row order. A repeated, empty or missing id is an error that names its
// line. The ids are held in memory while they are sorted.
func (d *Draft) CommitIDs(path string, rows int) (err error) {
	ids, err := readIDs(path, rows)
	if err != nil {
		return err
	}
	sorted := make([]uint32, rows)
	for i := range sorted {
		sorted[i] = uint32(i)
	}
	slices.SortFunc(sorted, func(a, b uint32) int { return strings.Compare(ids[a], ids[b]) })
	for i := range max(0, rows-1) {
		if a, b := sorted[i], sorted[i+1]; ids[a] == ids[b] {
			return fmt.Errorf("store: %s: lines %d and %d are both %q", path, min(a, b)+1, max(a, b)+1, ids[a])
		}
	}
	if err := d.excise([]byte{tagIDs}, []byte{tagRowOfID + 1}); err != nil {
		return err
	}
	b := d.bulk()
	defer b.abort()
	if err := setIDs(b, ids, sorted); err != nil {
		return err
	}
	if err := b.commit(); err != nil {
		return err
	}
	return d.Record(idsRecord, rows)
}

// setIDs writes both directions: 64 ids to a key by row, one row to a key by id.
func setIDs(b *bulk, ids []string, sorted []uint32) error {
	var key, value []byte
	for from := 0; from < len(ids); from += idsPerKey {
		value = value[:0]
		for _, id := range ids[from:min(from+idsPerKey, len(ids))] {
			value = append(binary.AppendUvarint(value, uint64(len(id))), id...)
		}
		key = key64(key, tagIDs, uint64(from/idsPerKey))
		if err := b.set(key, value); err != nil {
			return err
		}
	}
	for _, row := range sorted {
		key = append(append(key[:0], tagRowOfID), ids[row]...)
		if err := b.set(key, binary.LittleEndian.AppendUint64(value[:0], uint64(row))); err != nil {
			return err
		}
	}
	return nil
}

func readIDs(path string, rows int) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	defer f.Close()
	return parseIDs(f, path, rows)
}

// parseIDs reads one id a line; errors name the file path.
func parseIDs(r io.Reader, path string, rows int) ([]string, error) {
	var ids []string
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<16), 2*maxID)
	for lines.Scan() {
		id := strings.TrimSuffix(lines.Text(), "\r")
		switch {
		case id == "":
			return nil, fmt.Errorf("store: %s: line %d is empty", path, len(ids)+1)
		case len(id) > maxID:
			return nil, fmt.Errorf("store: %s: line %d has %d bytes, at most %d are kept", path, len(ids)+1, len(id), maxID)
		case !utf8.ValidString(id):
			return nil, fmt.Errorf("store: %s: line %d is not UTF-8", path, len(ids)+1)
		}
		ids = append(ids, id)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("store: %s: line %d: %w", path, len(ids)+1, err)
	}
	if len(ids) != rows {
		return nil, fmt.Errorf("store: %s: %d lines, want one for each of %d rows", path, len(ids), rows)
	}
	return ids, nil
}

// IDsDone reports whether external ids have been committed.
func (d *Draft) IDsDone() (bool, error) {
	var rows int
	return d.Load(idsRecord, &rows)
}

// idOf reads the external id of a row.
func (e *engine) idOf(row uint64) (string, error) {
	c, err := e.ids.take()
	if err != nil {
		return "", err
	}
	defer e.ids.give(c)
	c.key = key64(c.key, tagIDs, row/idsPerKey)
	value, ok, err := c.value()
	if err != nil {
		return "", err
	}
	if !ok {
		return "", corrupt(c.key, errors.New("no ids"))
	}
	id, err := idOfBlock(value, row%idsPerKey)
	if err != nil {
		return "", corrupt(c.key, err)
	}
	return id, nil
}

// idOfBlock finds id number i of a value under tag 41.
func idOfBlock(value []byte, i uint64) (string, error) {
	d := decoder{data: value}
	for ; ; i-- {
		n := d.uvarint()
		if d.bad || n > uint64(len(d.data)) {
			return "", errors.New("damaged ids")
		}
		if i == 0 {
			return string(d.data[:n]), nil
		}
		d.data = d.data[n:]
	}
}

// rowOf finds the row of an external id.
func (e *engine) rowOf(id string) (Row, error) {
	c, err := e.rowsByID.take()
	if err != nil {
		return 0, err
	}
	defer e.rowsByID.give(c)
	c.key = append(append(c.key[:0], tagRowOfID), id...)
	value, ok, err := c.value()
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, fmt.Errorf("%w: %q", ErrNoID, id)
	}
	if len(value) != 8 {
		return 0, corrupt(c.key, fmt.Errorf("%d bytes, want 8", len(value)))
	}
	return Row(binary.LittleEndian.Uint64(value)), nil
}
