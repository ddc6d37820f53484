package catalog

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

// Contents are the contents of a catalog. Each function passes over the database in its
// order and ends with the first error of fn.
type Contents struct {
	Rows     int
	Records  map[string]json.RawMessage
	HasIDs   bool
	EachIDs  func(fn func(block []byte) error) error          // blocks of ids, by row
	EachByID func(fn func(row uint32) error) error            // rows, in the order of their ids
	EachRow  func(fn func(place int, row uint32) error) error // rows, in the order of their vectors
}

// window is how many places are held in memory at a time: for more rows there are more
// passes over them.
const window = 1 << 22

// Write writes a catalog without its trailer. It takes 16 MiB at most; ids are read twice.
func Write(w io.Writer, c *Contents) error {
	records, err := json.Marshal(c.Records)
	if err != nil {
		return err
	}
	if len(records) > maxRecords {
		return fmt.Errorf("records of %d bytes, at most %d are kept", len(records), maxRecords)
	}
	h := header{recordBytes: len(records), rows: c.Rows, recordSum: xxhash.Sum64(records)}
	if c.HasIDs {
		h.ids = c.Rows
	}
	inOrder, err := c.inOrder()
	if err != nil {
		return err
	}
	if !inOrder {
		h.places = c.Rows
	}
	if _, err := w.Write(append(append(h.encode(), records...), make([]byte, h.indexAt()-headerBytes-len(records))...)); err != nil {
		return err
	}
	if c.HasIDs && c.Rows > 0 {
		if err := c.writeIndex(w); err != nil {
			return err
		}
		if err := c.writeByID(w); err != nil {
			return err
		}
	}
	if !inOrder {
		if err := c.writePlaces(w); err != nil {
			return err
		}
	}
	if !c.HasIDs {
		return nil
	}
	return c.EachIDs(func(block []byte) error {
		_, err := w.Write(block)
		return err
	})
}

// inOrder reports whether the place of every row is its number.
func (c *Contents) inOrder() (bool, error) {
	next, same := 0, true
	err := c.EachRow(func(place int, row uint32) error {
		same = same && place == next && int64(row) == int64(next)
		next++
		return nil
	})
	return same && next == c.Rows, err
}

// writeIndex writes the index of the ids.
func (c *Contents) writeIndex(w io.Writer) error {
	end, b := 0, 0
	var entry [entryBytes]byte
	put := func(sum uint64) error {
		le.PutUint64(entry[:], uint64(end))
		le.PutUint64(entry[8:], sum)
		_, err := w.Write(entry[:])
		return err
	}
	err := c.EachIDs(func(block []byte) error {
		err := put(sum(b, block))
		end += len(block)
		b++
		return err
	})
	if err == nil && b != blocksOf(c.Rows) {
		err = fmt.Errorf("%d blocks of ids, want %d", b, blocksOf(c.Rows))
	}
	if err == nil {
		err = put(0)
	}
	if err == nil {
		_, err = w.Write(make([]byte, padded(indexBytes(c.Rows))-indexBytes(c.Rows)))
	}
	return err
}

// writeByID writes the rows in the order of their ids.
func (c *Contents) writeByID(w io.Writer) error {
	p := pageWriter{w: w}
	if err := c.EachByID(p.add); err != nil {
		return err
	}
	if p.added != c.Rows {
		return fmt.Errorf("%d rows by id, want %d", p.added, c.Rows)
	}
	return p.flush()
}

// writePlaces writes the place of each row, window after window.
func (c *Contents) writePlaces(w io.Writer) error {
	p := pageWriter{w: w}
	places := make([]uint32, min(window, c.Rows))
	for from := 0; from < c.Rows; from += window {
		part := places[:min(window, c.Rows-from)]
		for i := range part {
			part[i] = NoPlace
		}
		err := c.EachRow(func(place int, row uint32) error {
			if i := int64(row) - int64(from); i >= 0 && i < int64(len(part)) {
				part[i] = uint32(place)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, place := range part {
			if err := p.add(place); err != nil {
				return err
			}
		}
	}
	return p.flush()
}

// A pageWriter writes an array of u32 in pages.
type pageWriter struct {
	w     io.Writer
	page  [pageBytes]byte
	added int
}

func (p *pageWriter) add(n uint32) error {
	le.PutUint32(p.page[4*(p.added%perPage):], n)
	if p.added++; p.added%perPage == 0 {
		return p.end()
	}
	return nil
}

// end writes the page.
func (p *pageWriter) end() error {
	n := pagesOf(p.added) - 1
	le.PutUint64(p.page[pageBytes-8:], sum(n, p.page[:pageBytes-8]))
	_, err := p.w.Write(p.page[:])
	clear(p.page[:])
	return err
}

// flush writes the last page, if it is not full.
func (p *pageWriter) flush() error {
	if p.added%perPage == 0 {
		return nil
	}
	return p.end()
}
