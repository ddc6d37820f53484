// Package view looks lists up in Pebble's tables without Pebble. The tables hold the blocks
// of lists uncompressed, so that a value lies in them as it was set; the file of a view says
// where. A lookup costs as much as one in a mapped array, and no list is on disk twice. The
// comment of package store describes the file.
package view

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/vectors"
)

// Name is the name of the file in a store, and in the folder of its in-neighbors.
const Name = "view"

// A View is an open view. It is safe for concurrent use, and lookups take no lock. It
// verifies a block at its first touch. It takes two bits of memory a block; the system
// decides how much of the mapped tables stays in memory.
type View struct {
	path    string
	layout  block.Layout
	file    *vectors.MappedFile
	entries []byte // EntryBytes a block
	tables  []table
	touched []atomic.Uint32 // two bits a block: verified, even
}

// A table is one of Pebble's tables, mapped.
type table struct {
	path string
	file *vectors.MappedFile
	data []byte
}

// The two bits of a block.
const (
	verified = 1
	even     = 2 // every row has a list of K entries, so that no counts need to be added up
)

// Open opens the view of the tables in a sealed directory. It returns nil where there is
// none, or one of another version. Errors: storeerr.ErrCorrupt.
func Open(home *sealed.Dir, layout block.Layout) (*View, error) {
	file, err := sealed.Map(home.Dir, Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, storeerr.Damage(err)
	}
	v := &View{path: home.Path(Name), layout: layout, file: file}
	err = vectors.Guard(func() error { return v.open(home) })
	if errors.Is(err, errVersion) {
		return nil, v.Close()
	}
	if err != nil {
		v.Close()
		return nil, storeerr.Damage(fmt.Errorf("%s, which may be deleted, or made again by \"knng analyze --view\": %w", v.path, err))
	}
	return v, nil
}

// open reads the header and maps the tables.
func (v *View) open(home *sealed.Dir) error {
	tables, err := parse(v.file.Bytes(), &v.layout)
	if err != nil {
		return err
	}
	v.entries = v.file.Bytes()[HeaderBytes(len(tables)):]
	v.touched = make([]atomic.Uint32, (v.layout.Blocks()+15)/16)
	for _, t := range tables {
		if err := v.mapTable(home, sealed.GraphName+"/"+t.Name, t.Size); err != nil {
			return err
		}
	}
	return nil
}

func (v *View) mapTable(home sealed.Opener, rel string, size uint64) error {
	m, err := sealed.Map(home, rel)
	if err != nil {
		return err
	}
	path := home.Path(rel)
	v.tables = append(v.tables, table{path, m, m.Bytes()})
	if got := uint64(len(m.Bytes())); got != size {
		return fmt.Errorf("%s has %d bytes, it had %d", path, got, size)
	}
	m.Advise(vectors.Random)
	return nil
}

// Bytes returns the mapped file. It is to be read inside vectors.Guard.
func (v *View) Bytes() []byte { return v.file.Bytes() }

// Tables returns how many tables the view maps.
func (v *View) Tables() int { return len(v.tables) }

// With calls fn with the encoded list of a row, which is valid during the call. Errors:
// storeerr.ErrCorrupt, vectors.ErrFault.
func (v *View) With(row int, fn func(neighbors, keys []byte)) error {
	err := vectors.Guard(func() error {
		neighbors, keys, err := v.list(row)
		if err == nil {
			fn(neighbors, keys)
		}
		return err
	})
	if errors.Is(err, vectors.ErrFault) {
		err = fmt.Errorf("store: %s: row %d: %w", v.path, row, err)
	}
	return err
}

// list returns the encoded list of a row in place. It runs inside vectors.Guard.
func (v *View) list(row int) (neighbors, keys []byte, err error) {
	b := row / block.Rows
	t, at, err := v.place(b)
	if err != nil {
		return nil, nil, err
	}
	known := v.touched[b/16].Load() >> (b % 16 * 2) & 3
	if known == 0 {
		if known, err = v.touch(b, t, at); err != nil {
			return nil, nil, err
		}
	}
	i := row % block.Rows
	if known&even == 0 {
		value, err := v.block(t, at)
		if err != nil {
			return nil, nil, err
		}
		return block.Row(value, i, v.layout.CountBytes)
	}
	k, rows := v.layout.K, min(block.Rows, v.layout.Rows-b*block.Rows)
	list := t.data[at+1+v.layout.CountBytes*rows+8*k*i:]
	return list[:4*k], list[4*k : 8*k], nil
}

// place finds the table of a block and the offset in it.
func (v *View) place(b int) (*table, int, error) {
	place := binary.LittleEndian.Uint64(v.entries[EntryBytes*b:])
	n, at := place>>OffsetBits, place&MaxOffset
	if n >= uint64(len(v.tables)) || at >= uint64(len(v.tables[n].data)) {
		return nil, 0, fmt.Errorf("%w: %s: %s: no byte %d of table %d", storeerr.ErrCorrupt, v.path, v.RowsOf(b), at, n)
	}
	return &v.tables[n], int(at), nil
}

// RowsOf names a block in errors.
func (v *View) RowsOf(b int) string {
	return fmt.Sprintf("lists of rows %d to %d", b*block.Rows, min((b+1)*block.Rows, v.layout.Rows)-1)
}

// block returns the value that begins at an offset of a table. Its counts give its size.
func (v *View) block(t *table, at int) ([]byte, error) {
	rest := t.data[at:]
	rows := int(rest[0])
	if rows == 0 || rows > block.Rows || len(rest) < 1+v.layout.CountBytes*rows {
		return nil, fmt.Errorf("%w: %s: no block at byte %d", storeerr.ErrCorrupt, t.path, at)
	}
	size := 1 + v.layout.CountBytes*rows
	for i := range rows {
		size += 8 * block.Count(rest, i, v.layout.CountBytes)
	}
	if size > len(rest) {
		return nil, fmt.Errorf("%w: %s: block of %d bytes at byte %d of %d", storeerr.ErrCorrupt, t.path, size, at, len(t.data))
	}
	return rest[:size], nil
}

// touch verifies a block. Several goroutines may do so at a time.
func (v *View) touch(b int, t *table, at int) (known uint32, err error) {
	expect := func(size int) { // one read of the disk, not one a page
		if at/page != (at+size-1)/page {
			t.file.WillNeed(at, at+size)
		}
	}
	if !v.follows(b) { // of those in order many are asked for at a time
		expect(v.layout.Full())
	} else if from, to := v.ahead(b, at, len(t.data)); from < to {
		t.file.WillNeed(from, to)
	}
	value, err := v.block(t, at)
	if err != nil {
		return 0, fmt.Errorf("%w (%s, %s)", err, v.path, v.RowsOf(b))
	}
	if len(value) > v.layout.Full() { // of any length
		expect(len(value))
	}
	if got, want := Sum(b, value), binary.LittleEndian.Uint64(v.entries[EntryBytes*b+8:]); got != want {
		return 0, fmt.Errorf("%w: %s: %s at byte %d have checksum %016x, want %016x (%s)",
			storeerr.ErrCorrupt, t.path, v.RowsOf(b), at, got, want, v.path)
	}
	isEven, err := v.layout.Check(b, value)
	if err != nil {
		return 0, fmt.Errorf("%w: %s: %w", storeerr.ErrCorrupt, t.path, err)
	}
	known = verified
	if isEven {
		known |= even
	}
	v.touched[b/16].Or(known << (b % 16 * 2))
	return known, nil
}

// aheadBytes is how much of a table is read ahead of a pass in order: a tenth of a
// millisecond of a fast disk, and some of a slow one's.
const aheadBytes = 512 << 10

// inOrder is how many blocks before one were touched where rows are asked for in order.
const inOrder = 4

// follows reports whether the blocks before b were touched.
func (v *View) follows(b int) bool {
	if b < inOrder {
		return false
	}
	for before := b - inOrder; before < b; before++ {
		if v.touched[before/16].Load()>>(before%16*2)&3 == 0 {
			return false
		}
	}
	return true
}

// ahead returns the bytes of a table that the system should read when block b, at an offset, is
// touched, which follows others: the tables are mapped for random reads, which a pass
// in order would wait for one by one. There are some once in aheadBytes, those after the next;
// otherwise from is not below to.
func (v *View) ahead(b, at, size int) (from, to int) {
	if at/aheadBytes == (at-v.layout.Full())/aheadBytes && b > inOrder {
		return 0, 0
	}
	from = at
	if b > inOrder {
		from = (at/aheadBytes + 1) * aheadBytes
	}
	return from, min(size, (at/aheadBytes+2)*aheadBytes)
}

// Sum returns the checksum of a block. The number of the block is the seed, so that a block
// of other rows does not pass for it.
func Sum(b int, value []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(uint64(b))
	d.Write(value)
	return d.Sum64()
}

// An Entry is an entry of a view, for people to look at.
type Entry struct {
	At    int    // offset in the view
	Raw   []byte // the entry itself
	Table string // path of the table
	Byte  int    // offset of the block in the table
	Block []byte
}

// Entry returns the entry of a block. It runs inside vectors.Guard.
func (v *View) Entry(b int) (e Entry, err error) {
	t, at, err := v.place(b)
	if err != nil {
		return e, err
	}
	value, err := v.block(t, at)
	return Entry{HeaderBytes(len(v.tables)) + EntryBytes*b, v.entries[EntryBytes*b:][:EntryBytes], t.path, at, value}, err
}

// Close unmaps the file and the tables. No lookup may be in progress.
func (v *View) Close() error {
	errs := []error{v.file.Close()}
	for _, t := range v.tables {
		errs = append(errs, t.file.Close())
	}
	return errors.Join(errs...)
}
