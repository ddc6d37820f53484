package store

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/knng/knng/store/internal/catalog"
)

// maxID is the longest external id in bytes.
const maxID = 4096

const idsRecord = "ids"

// CommitIDs stores external ids, one UTF-8 line per input row, in row order; the lines of
// dropped rows, which ascend, are left out. A repeated, empty or missing id is an error that
// names file and its line. It takes some tens of megabytes: ids are
// sorted in runs, which stand in the scratch folder until they are merged. Cancelling ctx
// stops it with ctx's error, and nothing is committed.
func (d *Draft) CommitIDs(ctx context.Context, r io.Reader, file string, rows int, dropped []uint32) (err error) {
	scratch, err := d.scratch.open(d.manifest.Created)
	if err != nil {
		return err
	}
	defer scratch.Close()
	if err := d.engine.exciseLeft([]byte{tagIDs}, []byte{tagRowOfID + 1}); err != nil {
		return err
	}
	b := newBulk(d)
	defer b.abort()
	s := &idSorter{dir: scratch}
	defer s.close()
	w := &idWriter{b: b}
	err = eachID(r, file, rows, dropped, func(line int, id []byte) error {
		if line%rowsPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.add(id); err != nil {
			return err
		}
		return s.add(idLine{uint32(w.rows - 1), uint32(line), id})
	})
	if err == nil {
		err = w.flush()
	}
	if err == nil {
		added := 0
		err = s.each(func(e idLine) error {
			if added++; added%rowsPerLook == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			return w.addRow(file, e)
		})
	}
	if err == nil {
		err = b.commit()
	}
	if err != nil {
		return SpaceError(err)
	}
	return d.Record(idsRecord, rows)
}

// CheckIDs reads the ids of rows to their end and reports the errors that CommitIDs would
// report if no rows are dropped, all but repeated ids, which only sorting finds. Errors
// name file.
func CheckIDs(r io.Reader, file string, rows int) error {
	return eachID(r, file, rows, nil, func(int, []byte) error { return nil })
}

// eachID calls fn with one id a line, less those of dropped rows; errors name the file
// path. An id is valid during the call.
func eachID(r io.Reader, path string, rows int, dropped []uint32, fn func(line int, id []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<16), maxID+2)
	line, want := 0, rows+len(dropped)
	for lines.Scan() {
		line++
		id := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		if line == 1 {
			id = bytes.TrimPrefix(id, []byte("\ufeff")) // the mark that some editors begin a file with
		}
		switch {
		case len(dropped) > 0 && int64(dropped[0]) == int64(line)-1:
			dropped = dropped[1:]
			continue
		case len(id) == 0:
			return badIDs("store: %s: line %d is empty", path, line)
		case len(id) > maxID:
			return badIDs("store: %s: line %d has %d bytes, at most %d are kept", path, line, len(id), maxID)
		case !utf8.Valid(id):
			return badIDs("store: %s: line %d is not UTF-8", path, line)
		}
		if line > want {
			continue // to say how many there are
		}
		if err := fn(line, id); err != nil {
			return err
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return badIDs("store: %s: line %d is longer than the %d bytes that are kept", path, line+1, maxID)
	} else if err != nil {
		return fmt.Errorf("store: %s: line %d: %w", path, line+1, err)
	}
	if line != want {
		return badIDs("store: %s: %d lines, want one for each of %d rows", path, line, want)
	}
	return nil
}

// idsError is an error that is ErrIDs as well, and does not say so.
type idsError struct{ error }

func (idsError) Is(target error) bool { return target == ErrIDs }

func badIDs(format string, a ...any) error { return idsError{fmt.Errorf(format, a...)} }

// idWriter writes ids in both directions: 64 ids to a key by row, then one row to a key
// by id.
type idWriter struct {
	b          *bulk
	rows       int
	key, value []byte
	before     idLine // the id added last by its row
}

func (w *idWriter) add(id []byte) error {
	w.value = append(binary.AppendUvarint(w.value, uint64(len(id))), id...)
	if w.rows++; w.rows%catalog.IDsPerBlock == 0 {
		return w.flush()
	}
	return nil
}

func (w *idWriter) flush() error {
	if len(w.value) == 0 {
		return nil
	}
	w.key = key64(w.key, tagIDs, uint64(w.rows-1)/catalog.IDsPerBlock)
	err := w.b.set(w.key, w.value)
	w.value = w.value[:0]
	return err
}

// addRow adds the row of an id; ids ascend, and none may come twice.
func (w *idWriter) addRow(path string, e idLine) error {
	if w.before.line > 0 && bytes.Equal(w.before.id, e.id) {
		return badIDs("store: %s: lines %d and %d are both %q", path, w.before.line, e.line, e.id)
	}
	w.before.line, w.before.id = e.line, append(w.before.id[:0], e.id...)
	w.key = append(append(w.key[:0], tagRowOfID), e.id...)
	return w.b.set(w.key, binary.LittleEndian.AppendUint64(w.value[:0], uint64(e.row)))
}

// IDsDone reports whether external ids have been committed.
func (d *Draft) IDsDone() (bool, error) {
	var rows int
	return d.Load(idsRecord, &rows)
}

// appendID appends the external id of a row to dst.
func (e *engine) appendID(dst []byte, row uint64) ([]byte, error) {
	c, err := e.ids.take()
	if err != nil {
		return dst, err
	}
	defer c.Release()
	c.key = key64(c.key, tagIDs, row/catalog.IDsPerBlock)
	value, ok, err := c.value()
	if err != nil {
		return dst, err
	}
	if !ok {
		return dst, corrupt(c.key, errors.New("no ids"))
	}
	id, err := catalog.IDAt(value, int(row%catalog.IDsPerBlock))
	if err != nil {
		return dst, corrupt(c.key, err)
	}
	return append(dst, id...), nil
}

// rowOf finds the row of an external id.
func (e *engine) rowOf(id string) (row uint64, ok bool, err error) {
	c, err := e.rowsByID.take()
	if err != nil {
		return 0, false, err
	}
	defer c.Release()
	c.key = append(append(c.key[:0], tagRowOfID), id...)
	value, ok, err := c.value()
	if err != nil || !ok {
		return 0, false, err
	}
	if len(value) != 8 {
		return 0, false, corrupt(c.key, fmt.Errorf("%d bytes, want 8", len(value)))
	}
	return binary.LittleEndian.Uint64(value), true, nil
}
