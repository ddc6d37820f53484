package vectors

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// FirstOf returns, for every row, the number of the first row with the same bytes: its own number if
// no earlier row has them. It hashes the rows in one pass, and compares those with equal hashes. It
// reads only Context, Threads and Progress of opts, and keeps 16 bytes a row while it runs.
func FirstOf(src Source, opts AuditOptions) ([]uint32, error) {
	return firstOf(src, opts, xxhash.Sum64)
}

// hashed is a row by its hash.
type hashed struct {
	hash uint64
	row  uint32
}

func (h hashed) compare(o hashed) int {
	return cmp.Or(cmp.Compare(h.hash, o.hash), cmp.Compare(h.row, o.row))
}

func firstOf(src Source, opts AuditOptions, hash func([]byte) uint64) ([]uint32, error) {
	if opts.Context == nil {
		opts.Context = context.Background()
	}
	rows, err := hashRows(src, opts, hash)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, hashed.compare)
	first := make([]uint32, len(rows))
	c := comparer{src: src, size: src.Dim() * src.Type().Size(), first: first}
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].hash == rows[0].hash {
			n++
		}
		if err := opts.Context.Err(); err != nil {
			return nil, err
		}
		if err := c.compare(rows[:n]); err != nil {
			return nil, err
		}
		rows = rows[n:]
	}
	return first, nil
}

// hashRows hashes every row.
func hashRows(src Source, opts AuditOptions, hash func([]byte) uint64) ([]hashed, error) {
	size := src.Dim() * src.Type().Size()
	rows := make([]hashed, src.Len())
	progress := auditor{opts: opts} // which tells of batches one at a time
	batch := batchRows(src)
	err := Ranges(opts.Threads, src.Len(), batch, func() func(from, to int) error {
		buf := make([]byte, batch*size)
		return func(from, to int) error {
			if err := src.ReadRows(from, buf[:(to-from)*size]); err != nil {
				return err
			}
			for i := from; i < to; i++ {
				rows[i] = hashed{hash(buf[(i-from)*size : (i-from+1)*size]), uint32(i)}
			}
			progress.add(new(AuditReport), to-from)
			return opts.Context.Err()
		}
	})
	return rows, err
}

// comparer compares the bytes of rows.
type comparer struct {
	src   Source
	size  int
	first []uint32
	buf   []byte
}

// compare sets the first of rows with equal hashes, which ascend. They are almost
// always the same; where they are not, each is compared with all that differ.
func (c *comparer) compare(rows []hashed) error {
	c.first[rows[0].row] = rows[0].row
	if len(rows) == 1 {
		return nil
	}
	type head struct {
		row   uint32
		bytes []byte
	}
	var heads []head
	c.buf = slices.Grow(c.buf[:0], c.size)[:c.size]
	for _, r := range rows {
		if err := c.src.ReadRows(int(r.row), c.buf); err != nil {
			return err
		}
		at := slices.IndexFunc(heads, func(h head) bool { return bytes.Equal(h.bytes, c.buf) })
		if at < 0 {
			at = len(heads)
			heads = append(heads, head{r.row, bytes.Clone(c.buf)})
		}
		c.first[r.row] = heads[at].row
	}
	return nil
}
