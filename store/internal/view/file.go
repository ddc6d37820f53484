package view

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store/internal/block"
)

// The file of a view; see the comment of package store.
const (
	magic      = "KNNGVIEW"
	version    = 1
	fixedBytes = 32   // bytes of the header before the tables
	tableBytes = 32   // bytes of a table in the header
	nameBytes  = 24   // of these, bytes of the name
	page       = 4096 // entries begin at a multiple of this

	EntryBytes = 16                                  // bytes of an entry
	OffsetBits = 40                                  // low bits of a place: the offset; the number of the table is above
	MaxOffset  = math.MaxUint64 >> (64 - OffsetBits) // the largest offset of a place
)

var errVersion = errors.New("view of another version")

// A Table is a table in the header of a view.
type Table struct {
	Name string
	Size uint64
}

// HeaderBytes returns the size of a header: a multiple of the page.
func HeaderBytes(tables int) int {
	return (fixedBytes + tableBytes*tables + 8 + page - 1) / page * page
}

// Header encodes the header of a view.
func Header(layout block.Layout, tables []Table) []byte {
	h := make([]byte, HeaderBytes(len(tables)))
	copy(h, magic)
	binary.LittleEndian.PutUint32(h[8:], version)
	binary.LittleEndian.PutUint32(h[12:], uint32(layout.Tag))
	binary.LittleEndian.PutUint64(h[16:], uint64(layout.Rows))
	binary.LittleEndian.PutUint64(h[24:], uint64(len(tables)))
	at := fixedBytes
	for _, t := range tables {
		copy(h[at:at+nameBytes], t.Name)
		binary.LittleEndian.PutUint64(h[at+nameBytes:], t.Size)
		at += tableBytes
	}
	binary.LittleEndian.PutUint64(h[at:], xxhash.Sum64(h[:at]))
	return h
}

// Place encodes the offset of a block in table number n.
func Place(n, offset int) uint64 { return uint64(n)<<OffsetBits | uint64(offset) }

// AppendEntry appends the entry of a block to dst.
func AppendEntry(dst []byte, b int, place uint64, value []byte) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, place), Sum(b, value))
}

// tableName matches the names that Pebble gives to tables.
var tableName = regexp.MustCompile(`^[0-9]+\.sst$`)

// parse checks a view's file and returns its tables.
func parse(data []byte, layout *block.Layout) (tables []Table, err error) {
	if len(data) < page {
		return nil, fmt.Errorf("%d bytes, too short for a view", len(data))
	}
	if string(data[:8]) != magic {
		return nil, fmt.Errorf("begins with %q, want %q", data[:8], magic)
	}
	if found := binary.LittleEndian.Uint32(data[8:]); found != version {
		return nil, fmt.Errorf("%w: %d, want %d", errVersion, found, version)
	}
	n := binary.LittleEndian.Uint64(data[24:])
	if n > uint64(len(data))/tableBytes || HeaderBytes(int(n)) > len(data) {
		return nil, fmt.Errorf("%d tables in %d bytes", n, len(data))
	}
	summed := fixedBytes + tableBytes*int(n)
	if got, want := xxhash.Sum64(data[:summed]), binary.LittleEndian.Uint64(data[summed:]); got != want {
		return nil, fmt.Errorf("header checksum %016x at byte %d, want %016x", want, summed, got)
	}
	tag, rows := binary.LittleEndian.Uint32(data[12:]), binary.LittleEndian.Uint64(data[16:])
	if tag != uint32(layout.Tag) || rows != uint64(layout.Rows) {
		return nil, fmt.Errorf("view of %d rows under tag %02x, want %d under %02x", rows, tag, layout.Rows, layout.Tag)
	}
	if want := HeaderBytes(int(n)) + EntryBytes*layout.Blocks(); len(data) != want {
		return nil, fmt.Errorf("%d bytes, want %d", len(data), want)
	}
	for i := range int(n) {
		record := data[fixedBytes+tableBytes*i:][:tableBytes]
		name, _, _ := bytes.Cut(record[:nameBytes], []byte{0})
		if !tableName.Match(name) {
			return nil, fmt.Errorf("table %d is called %q", i, name)
		}
		tables = append(tables, Table{string(name), binary.LittleEndian.Uint64(record[nameBytes:])})
	}
	return tables, nil
}
