package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/vectors"
)

// A view finds lists without Pebble, in Pebble's own tables: they are not
// compressed, so a value lies in them as it was set, and the view's file says
// where. A lookup costs what one in a mapped array costs, and no list is on disk
// twice. It is safe for concurrent use, and lookups take no lock.
//
// A block is verified when it is first touched. What is mapped is kept by the
// system, or not; a view itself takes two bits a block.
type view struct {
	path    string
	lists   listsOf
	file    *vectors.MappedFile
	entries []byte // 16 bytes a block
	tables  []viewTable
	touched []atomic.Uint32 // two bits a block: whether it is verified, and even
}

// A viewTable is one of Pebble's tables, mapped.
type viewTable struct {
	path string
	file *vectors.MappedFile
	data []byte
}

// The file of a view; see the package comment.
const (
	viewMagic      = "KNNGVIEW"
	viewVersion    = 1
	viewFixedBytes = 32   // bytes of its header before the tables
	viewTableBytes = 32   // bytes of a table in it
	viewNameBytes  = 24   // of these its name
	viewPage       = 4096 // entries begin at a multiple
	viewEntryBytes = 16   // bytes of an entry
	viewOffsetBits = 40   // bits of an offset in a place; the table stands above
)

var errViewVersion = errors.New("view of another version")

// maxPlace bounds what a place can say.
const maxPlace = math.MaxUint64 >> (64 - viewOffsetBits)

// What is known of a block, in two bits.
const (
	blockVerified = 1
	blockEven     = 2 // every row has a list of k entries, so it is found without counts
)

// viewHeader is the length of a header: a multiple of the page.
func viewHeader(tables int) int {
	return (viewFixedBytes + viewTableBytes*tables + 8 + viewPage - 1) / viewPage * viewPage
}

// openView opens the view of the tables in a sealed folder. It is nil where there
// is none. Errors: ErrCorrupt.
func openView(home *sealed, lists listsOf) (*view, error) {
	path := home.Path(viewName)
	file, err := mapAt(home.Dir, viewName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, damage(err)
	}
	v := &view{path: path, lists: lists, file: file, touched: make([]atomic.Uint32, (lists.blocks()+15)/16)}
	err = vectors.Guard(func() error {
		names, sizes, err := parseView(file.Bytes(), &lists)
		if err != nil {
			return err
		}
		v.entries = file.Bytes()[viewHeader(len(names)):]
		for i, name := range names {
			if err := v.mapTable(home, graphName+"/"+name, sizes[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errViewVersion) {
		return nil, v.close() // derived by another knng: it serves that one
	}
	if err != nil {
		v.close()
		return nil, damage(fmt.Errorf("%s, which may be deleted, or made again by knng analyze --view: %w", path, err))
	}
	return v, nil
}

// mapAt maps a file.
func mapAt(dir opener, rel string) (*vectors.MappedFile, error) {
	f, err := dir.Open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return vectors.MapOpened(f, dir.Path(rel))
}

func (v *view) mapTable(home opener, rel string, size uint64) error {
	m, err := mapAt(home, rel)
	if err != nil {
		return err
	}
	path := home.Path(rel)
	v.tables = append(v.tables, viewTable{path, m, m.Bytes()})
	if got := uint64(len(m.Bytes())); got != size {
		return fmt.Errorf("%s has %d bytes, it had %d", path, got, size)
	}
	m.Advise(vectors.Random)
	return nil
}

// tableName is what Pebble calls a table.
var tableName = regexp.MustCompile(`^[0-9]+\.sst$`)

// parseView checks a view's file and reads the tables from it.
func parseView(data []byte, lists *listsOf) (names []string, sizes []uint64, err error) {
	if len(data) < viewPage {
		return nil, nil, fmt.Errorf("%d bytes, too short for a view", len(data))
	}
	if string(data[:8]) != viewMagic {
		return nil, nil, fmt.Errorf("begins with %q, want %q", data[:8], viewMagic)
	}
	if version := binary.LittleEndian.Uint32(data[8:]); version != viewVersion {
		return nil, nil, fmt.Errorf("%w: %d, want %d", errViewVersion, version, viewVersion)
	}
	tables := binary.LittleEndian.Uint64(data[24:])
	if tables > uint64(len(data))/viewTableBytes || viewHeader(int(tables)) > len(data) {
		return nil, nil, fmt.Errorf("%d tables in %d bytes", tables, len(data))
	}
	summed := viewFixedBytes + viewTableBytes*int(tables)
	if got, want := xxhash.Sum64(data[:summed]), binary.LittleEndian.Uint64(data[summed:]); got != want {
		return nil, nil, fmt.Errorf("header checksum %016x at byte %d, want %016x", want, summed, got)
	}
	tag, rows := binary.LittleEndian.Uint32(data[12:]), binary.LittleEndian.Uint64(data[16:])
	if tag != uint32(lists.tag) || rows != uint64(lists.rows) {
		return nil, nil, fmt.Errorf("view of %d rows under tag %02x, want %d under %02x", rows, tag, lists.rows, lists.tag)
	}
	if want := viewHeader(int(tables)) + viewEntryBytes*lists.blocks(); len(data) != want {
		return nil, nil, fmt.Errorf("%d bytes, want %d", len(data), want)
	}
	for i := range int(tables) {
		record := data[viewFixedBytes+viewTableBytes*i:][:viewTableBytes]
		length := 0
		for length < viewNameBytes && record[length] != 0 {
			length++
		}
		if !tableName.Match(record[:length]) {
			return nil, nil, fmt.Errorf("table %d is called %q", i, record[:length])
		}
		names = append(names, string(record[:length]))
		sizes = append(sizes, binary.LittleEndian.Uint64(record[viewNameBytes:]))
	}
	return names, sizes, nil
}

// list returns the raw list of a row, in place: it is valid until the view is
// closed. It runs inside vectors.Guard.
func (v *view) list(row int) (neighbors, keys []byte, err error) {
	b := row / adjacencyRows
	table, at, err := v.place(b)
	if err != nil {
		return nil, nil, err
	}
	known := v.touched[b/16].Load() >> (b % 16 * 2) & 3
	if known == 0 {
		if known, err = v.touch(b, table, at); err != nil {
			return nil, nil, err
		}
	}
	i := row % adjacencyRows
	if known&blockEven == 0 {
		block, err := v.block(table, at)
		if err != nil {
			return nil, nil, err
		}
		return rowOfBlock(block, i, v.lists.countBytes)
	}
	k, rows := v.lists.k, min(adjacencyRows, v.lists.rows-b*adjacencyRows)
	list := table.data[at+1+v.lists.countBytes*rows+8*k*i:]
	return list[:4*k], list[4*k : 8*k], nil
}

// place is where a block begins.
func (v *view) place(b int) (*viewTable, int, error) {
	place := binary.LittleEndian.Uint64(v.entries[viewEntryBytes*b:])
	table, at := place>>viewOffsetBits, place&(1<<viewOffsetBits-1)
	if table >= uint64(len(v.tables)) || at >= uint64(len(v.tables[table].data)) {
		return nil, 0, fmt.Errorf("%w: %s: %s: no byte %d of table %d", ErrCorrupt, v.path, v.rowsOf(b), at, table)
	}
	return &v.tables[table], int(at), nil
}

// rowsOf names a block in errors.
func (v *view) rowsOf(b int) string {
	return fmt.Sprintf("lists of rows %d to %d", b*adjacencyRows, min((b+1)*adjacencyRows, v.lists.rows)-1)
}

// block is the value that begins at a byte of a table: it says itself how long
// it is.
func (v *view) block(table *viewTable, at int) ([]byte, error) {
	rest := table.data[at:]
	rows := int(rest[0])
	if rows == 0 || rows > adjacencyRows || len(rest) < 1+v.lists.countBytes*rows {
		return nil, fmt.Errorf("%w: %s: no block at byte %d", ErrCorrupt, table.path, at)
	}
	size := 1 + v.lists.countBytes*rows
	for i := range rows {
		size += 8 * countOf(rest, i, v.lists.countBytes)
	}
	if size > len(rest) {
		return nil, fmt.Errorf("%w: %s: block of %d bytes at byte %d of %d", ErrCorrupt, table.path, size, at, len(table.data))
	}
	return rest[:size], nil
}

// touch verifies a block. Several may do so at a time.
func (v *view) touch(b int, table *viewTable, at int) (known uint32, err error) {
	expect := func(size int) { // one read of the disk, not one a page
		if at/viewPage != (at+size-1)/viewPage {
			table.file.WillNeed(at, at+size)
		}
	}
	expect(v.lists.fullBlock())
	block, err := v.block(table, at)
	if err != nil {
		return 0, fmt.Errorf("%w (%s, %s)", err, v.path, v.rowsOf(b))
	}
	if len(block) > v.lists.fullBlock() { // which says itself how long it is
		expect(len(block))
	}
	if got, want := blockSum(b, block), binary.LittleEndian.Uint64(v.entries[viewEntryBytes*b+8:]); got != want {
		return 0, fmt.Errorf("%w: %s: %s at byte %d have checksum %016x, want %016x (%s)",
			ErrCorrupt, table.path, v.rowsOf(b), at, got, want, v.path)
	}
	even, err := v.lists.check(b, block)
	if err != nil {
		return 0, fmt.Errorf("%w: %s: %w", ErrCorrupt, table.path, err)
	}
	known = blockVerified
	if even {
		known |= blockEven
	}
	v.touched[b/16].Or(known << (b % 16 * 2))
	return known, nil
}

// blockSum is the checksum of a block. Its number is the seed: the block of
// other rows is not taken for it.
func blockSum(b int, block []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(uint64(b))
	d.Write(block)
	return d.Sum64()
}

func (v *view) close() error {
	errs := []error{v.file.Close()}
	for _, t := range v.tables {
		errs = append(errs, t.file.Close())
	}
	return errors.Join(errs...)
}
