package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// If rows are in the order of the input, a page that a walk reads for one row holds other rows that are far
// from it. So if memory does not hold rows and links, a copy of the rows is kept in an order of locality.
// Links, codes and all else in a Searcher use the places of this copy.

var rowsFile = fileKind{"KNNGNEAR", 1}

const (
	rowsSeed = 1
	fewRows  = 2 * blockPlaces // so few rows are not copied: a walk looks at the codes of all at once
)

// A rowsIdentity says which rows a file holds.
type rowsIdentity struct {
	identity     // of the order of the store
	size     int // bytes of a row
}

func (s copier) identity() rowsIdentity {
	return rowsIdentity{s.Searcher.identity(), s.space.RowBytes()}
}

// orderAt returns the position of the rows of places.
func (id *rowsIdentity) orderAt() int { return headerBytes + (id.size*id.places+7)/8*8 }

func (id *rowsIdentity) bytes() int { return id.orderAt() + 4*id.places }

// header encodes an identity, the sum of the rows and that of their order.
func (id *rowsIdentity) header(rows, order uint64) []byte {
	h, le := rowsFile.begin(&id.identity, id.size, rowsSeed), binary.LittleEndian
	le.PutUint64(h[112:], rows)
	le.PutUint64(h[120:], order)
	return seal(h)
}

// RowsPath returns where a store in dir keeps a copy of its rows in an order of locality.
func RowsPath(dir string) string { return pathOf(dir, store.DerivedRows) }

var errOtherRows = errors.New("search: rows of another graph, or by other settings")

// A copier makes, keeps and reads the copy of a Searcher's rows.
type copier struct{ *Searcher }

// A nearFile is a copy of the rows, mapped.
type nearFile struct {
	file  *vectors.MappedFile
	rows  *vectors.Rows
	order []uint32 // row of every place
	sum   uint64   // of the rows, as sumRow adds them up
}

// sumRow hashes a row. The sum of all rows does not depend on their order.
func sumRow(d *xxhash.Digest, row uint32, raw []byte) uint64 {
	d.ResetWithSeed(uint64(row))
	d.Write(raw)
	return d.Sum64()
}

// mayArrange reports whether the rows of the store are in the order of the input, and lists hold near rows.
func (s copier) mayArrange() bool { return s.space.Metric().Gathers() && slices.IsSorted(s.order) }

// open reads the kept copy of the rows, or makes it if there is to be one. If it cannot be kept, there is
// none.
func (s copier) open() error {
	if s.opts.Memory || !s.mayArrange() {
		return nil
	}
	id, from := s.identity(), &s.state.RowsFrom
	near, err := s.read(id)
	if err != nil && s.wanted(id) {
		if !errors.Is(err, fs.ErrNotExist) {
			from.Replaced = err
		}
		if err = s.keep(id); err == nil {
			near, err = s.read(id)
		}
		if s.opts.Context.Err() != nil || errors.Is(err, store.ErrCorrupt) || errors.Is(err, vectors.ErrFault) {
			return err
		}
		from.Made, from.Why = err == nil, err
	}
	if err != nil {
		return nil
	}
	from.Kept = true
	return s.use(near)
}

// wanted reports whether there are enough rows, and they and their links exceed the budget.
func (s copier) wanted(id rowsIdentity) bool {
	return id.places > fewRows && int64(s.stride)*int64(id.places)+int64(id.identity.size()) > s.opts.budget()
}

// use makes the Searcher read the copy of the rows.
func (s copier) use(near *nearFile) error {
	s.near = near
	s.rows, s.base, s.stride, s.order = near.rows, near.rows.Base(), near.rows.Stride(), near.order
	return s.findPlaces()
}

// read maps the rows of an identity.
func (s copier) read(id rowsIdentity) (*nearFile, error) {
	path := RowsPath(s.g.Dir())
	opened, err := s.g.OpenDerived(store.DerivedRows)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	file, err := vectors.MapOpened(opened, path)
	if err != nil {
		return nil, err
	}
	near := &nearFile{file: file}
	err = vectors.Guard(func() error {
		if near.order, near.sum, err = id.parse(file.Bytes()); err != nil {
			return err
		}
		return s.placesOf(near.order)
	})
	if err == nil {
		near.rows, err = file.Rows(headerBytes, id.places, s.rows.Dim(), s.rows.Type())
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return near, nil
}

// parse checks all of a file except the rows, and returns their order and their sum.
func (id *rowsIdentity) parse(data []byte) (order []uint32, sum uint64, err error) {
	if len(data) < headerBytes {
		return nil, 0, fmt.Errorf("%w: %d bytes, too short", ErrCorrupt, len(data))
	}
	h, le := data[:headerBytes], binary.LittleEndian
	if err := rowsFile.check(h); err != nil {
		return nil, 0, err
	}
	sum, want := le.Uint64(h[112:]), le.Uint64(h[120:])
	if string(h) != string(id.header(sum, want)) {
		return nil, 0, errOtherRows
	}
	if len(data) != id.bytes() {
		return nil, 0, fmt.Errorf("%w: %d bytes, want %d", ErrCorrupt, len(data), id.bytes())
	}
	order = make([]uint32, id.places)
	for i := range order {
		order[i] = le.Uint32(data[id.orderAt()+4*i:])
	}
	if got := orderSum(order); got != want {
		return nil, 0, fmt.Errorf("%w: bytes from %d on have checksum %016x, want %016x", ErrCorrupt, id.orderAt(), got, want)
	}
	return order, sum, nil
}

// placesOf checks that an order holds every row that has a place exactly once.
func (s copier) placesOf(order []uint32) error {
	seen := make([]uint64, (len(s.places)+63)/64)
	for place, row := range order {
		if int(row) >= len(s.places) || s.places[row] == noLink || seen[row/64]>>(row%64)&1 != 0 {
			return fmt.Errorf("%w: place %d is of row %d, which has no place in the graph or has another already", ErrCorrupt, place, row)
		}
		seen[row/64] |= 1 << (row % 64)
	}
	return nil
}

// check compares the copy of the rows, if there is one, with the store's rows.
func (s copier) check() error {
	if !s.mayArrange() {
		return nil
	}
	near, err := s.read(s.identity())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	want, err := s.sumRows(s.rows, s.order)
	if err == nil && want != near.sum {
		err = fmt.Errorf("%w: %s: the rows have sum %016x by the header, the store's %016x", ErrCorrupt, RowsPath(s.g.Dir()), near.sum, want)
	}
	if err == nil {
		want, err = s.sumRows(near.rows, near.order)
	}
	if err == nil && want != near.sum {
		err = s.firstOther(near)
	}
	if err != nil {
		near.file.Close()
		return err
	}
	return s.use(near)
}

// sumRows sums up rows by place.
func (s copier) sumRows(rows *vectors.Rows, order []uint32) (sum uint64, err error) {
	err = vectors.Ranges(s.opts.Threads, len(order), sumPlaces, func() func(from, to int) error {
		d := xxhash.New()
		return func(from, to int) error {
			part := uint64(0)
			for p := from; p < to; p++ {
				part += sumRow(d, order[p], rows.Row(p))
			}
			s.mu.Lock()
			sum += part
			s.mu.Unlock()
			return s.opts.Context.Err()
		}
	})
	return sum, err
}

// firstOther returns the first place with another row than the store's.
func (s copier) firstOther(near *nearFile) error {
	return vectors.Guard(func() error {
		for place, row := range near.order {
			if string(near.rows.Row(place)) != string(s.rows.Row(int(s.places[row]))) {
				return fmt.Errorf("%w: %s: byte %d on, place %d, is not row %d of the store", ErrCorrupt, RowsPath(s.g.Dir()), headerBytes+near.rows.Stride()*place, place, row)
			}
		}
		return fmt.Errorf("%w: %s: the rows do not have the sum of the header", ErrCorrupt, RowsPath(s.g.Dir()))
	})
}
