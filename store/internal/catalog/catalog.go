// Package catalog keeps, beside a sealed store, the records and the external ids that a
// reader needs, so that it opens the store without Pebble. The file is derived from the
// database and bound to its seal. The comment of package store describes the file.
package catalog

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/vectors"
)

// Name is the name of the file in a store.
const Name = "catalog"

// Records are the names of the records that a catalog holds, if the store has them.
var Records = []string{"manifest", "adjacency", "result", "tables", "ids", "order"}

// A Catalog is an open catalog. It is safe for concurrent use, and lookups take no lock. It
// verifies each part at its first touch and takes a bit of memory for each 4 KiB.
type Catalog struct {
	path    string
	file    *vectors.MappedFile
	h       header
	records map[string]json.RawMessage
	ids     ids
	byID    pages // rows in the order of their ids
	placed  pages // place of each row
}

// NoPlace stands for the place of a row that has none.
const NoPlace = 1<<32 - 1

// Open opens the catalog of a sealed directory. It returns nil where there is none, or one
// of another version. Errors: storeerr.ErrCorrupt, also for a catalog of another seal.
func Open(home *sealed.Dir) (*Catalog, error) {
	file, err := sealed.Map(home.Dir, Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, storeerr.Damage(err)
	}
	c := &Catalog{path: home.Path(Name), file: file}
	err = vectors.Guard(func() error { return c.parse(file.Bytes(), home.Sum) })
	if errors.Is(err, errVersion) {
		return nil, c.Close()
	}
	if err != nil {
		c.Close()
		return nil, storeerr.Damage(fmt.Errorf("%s, which may be deleted, or made again by \"knng analyze --view\": %w", c.path, err))
	}
	file.Advise(vectors.Random)
	return c, nil
}

// parse checks the file and finds its parts.
func (c *Catalog) parse(data []byte, seal [32]byte) (err error) {
	if c.h, err = parseHeader(data); err != nil {
		return err
	}
	h := &c.h
	records := data[headerBytes:][:h.recordBytes]
	if got := xxhash.Sum64(records); got != h.recordSum {
		return fmt.Errorf("records have checksum %016x, want %016x", got, h.recordSum)
	}
	if err := json.Unmarshal(records, &c.records); err != nil {
		return fmt.Errorf("records: %w", err)
	}
	end := len(data) - trailerBytes
	if err := parseTrailer(data[end:], seal); err != nil {
		return err
	}
	c.byID = newPages(data[h.byIDAt():], h.ids)
	c.placed = newPages(data[h.placedAt():], h.places)
	c.ids, err = newIDs(data[h.indexAt():h.byIDAt()], data[h.textAt():end], h.ids)
	return err
}

// Load decodes a record into v, as encoding/json does. ok is false where there is none.
func (c *Catalog) Load(name string, v any) (ok bool, err error) {
	text, ok := c.records[name]
	if !ok {
		return false, nil
	}
	if err := json.Unmarshal(text, v); err != nil {
		return false, fmt.Errorf("%w: %s: record %s: %w", storeerr.ErrCorrupt, c.path, name, err)
	}
	return true, nil
}

// Rows returns the number of rows of the graph.
func (c *Catalog) Rows() int { return c.h.rows }

// HasIDs reports whether the rows have external ids.
func (c *Catalog) HasIDs() bool { return c.h.ids > 0 }

// Bytes returns the mapped file. It is to be read inside vectors.Guard.
func (c *Catalog) Bytes() []byte { return c.file.Bytes() }

// AppendID appends the external id of a row, which must be below Rows, to dst.
func (c *Catalog) AppendID(dst []byte, row int) ([]byte, error) {
	err := c.guard(func() error {
		id, err := c.ids.at(row)
		dst = append(dst, id...)
		return err
	})
	return dst, err
}

// Row finds a row by its external id. ok is false where no row has it.
func (c *Catalog) Row(id string) (row int, ok bool, err error) {
	err = c.guard(func() error {
		row, ok, err = c.find(id)
		return err
	})
	return row, ok, err
}

// find searches the rows in the order of their ids.
func (c *Catalog) find(id string) (row int, ok bool, err error) {
	from, to := 0, c.h.ids
	for from < to {
		middle := int(uint(from+to) / 2)
		row, err := c.byID.at(middle)
		if err != nil {
			return 0, false, err
		}
		if int64(row) >= int64(c.h.ids) {
			return 0, false, fmt.Errorf("id number %d is of row %d of %d", middle, row, c.h.ids)
		}
		found, err := c.ids.at(int(row))
		switch {
		case err != nil:
			return 0, false, err
		case string(found) == id:
			return int(row), true, nil
		case string(found) < id:
			from = middle + 1
		default:
			to = middle
		}
	}
	return 0, false, nil
}

// Place returns where the vector of a row lies among the vectors. ok is false for a row
// without one.
func (c *Catalog) Place(row int) (place int, ok bool, err error) {
	if c.h.places == 0 {
		return row, true, nil
	}
	err = c.guard(func() error {
		at, err := c.placed.at(row)
		place, ok = int(at), at != NoPlace
		return err
	})
	return place, ok, err
}

// guard marks errors of a lookup and names the file.
func (c *Catalog) guard(fn func() error) error {
	err := vectors.Guard(fn)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, vectors.ErrFault):
		return fmt.Errorf("store: %s: %w", c.path, err)
	}
	return fmt.Errorf("%w: %s: %w", storeerr.ErrCorrupt, c.path, err)
}

// Close unmaps the file. No lookup may be in progress.
func (c *Catalog) Close() error { return c.file.Close() }

// sum hashes part number n of the file. The number is the seed, so that no part passes for
// another.
func sum(n int, data []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(uint64(n))
	d.Write(data)
	return d.Sum64()
}

var le = binary.LittleEndian
