package reader

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/catalog"
	"github.com/knng/knng/store/internal/livefiles"
	"github.com/knng/knng/store/internal/lookup"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/store/internal/view"
)

// A Reader is an open store. All methods are safe for concurrent use, by several goroutines
// and several processes.
type Reader struct {
	dir   string
	home  *sealed.Dir
	info  *Info
	graph lookup.Graph
}

// Open opens the finished store in dir. Errors: ErrNotStore, which is fs.ErrNotExist too where there is no dir, ErrNotFinished, ErrLiving,
// ErrFormat, ErrCorrupt, ErrNoCatalog, and errors of the system that leave open whether the store is
// sound (no permission, too many open files).
func Open(dir string) (*Reader, error) {
	root, err := rooted.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s does not exist", storeerr.ErrAbsent, dir)
	}
	if errors.Is(err, ErrNotStore) { // which says so itself
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	err = sealed.Finished(root)
	if err == nil {
		err = livefiles.Refuse(root)
	} else if made, failed := root.Exists(livefiles.Current); errors.Is(err, ErrNotStore) && made && failed == nil {
		err = livefiles.Error(dir)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	r := &Reader{dir: dir}
	if r.home, err = sealed.Open(root); err != nil {
		return nil, err
	}
	if err := r.open(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// open opens the catalog and the view, and compares the tables with their identities.
func (r *Reader) open() (err error) {
	c, err := catalog.Open(r.home)
	if err != nil {
		return err
	}
	if c == nil {
		return r.missing(catalog.Name)
	}
	r.graph.Catalog = c
	if r.info, err = ReadInfo(c.Load); err != nil {
		return err
	}
	if r.info.rows != c.Rows() || r.info.IDs && c.Rows() > 0 && !c.HasIDs() {
		return fmt.Errorf("%w: %s is of %d rows, its records of %d", ErrCorrupt, r.home.Path(catalog.Name), c.Rows(), r.info.rows)
	}
	tables, err := r.identities()
	if err != nil {
		return err
	}
	if err := r.home.CheckIdentities(tables, sealed.IsTable); err != nil {
		return err
	}
	r.graph.Rows, r.graph.IDs = r.info.rows, r.info.IDs
	shape := block.Shape{Rows: r.info.rows, K: r.info.K, Lists: r.info.Lists}
	if r.graph.View, err = view.Open(r.home, block.Out(shape)); err == nil && r.graph.View == nil {
		err = r.missing(view.Name)
	}
	r.info.View, r.info.Files = true, r.home.Files
	return err
}

// identities loads the identities of large files. Older stores have none.
func (r *Reader) identities() (list []sealed.Identity, err error) {
	_, err = r.graph.Catalog.Load(sealed.TablesRecord, &list)
	return list, err
}

func (r *Reader) missing(name string) error {
	return fmt.Errorf("%w: %s: make it with: knng analyze --view %s", ErrNoCatalog, r.home.Path(name), r.dir)
}

// Dir returns the directory of the store, as it was given to Open.
func (r *Reader) Dir() string { return r.dir }

// Info describes the store.
func (r *Reader) Info() Info { return *r.info }

// Len returns the number of rows: isolated ones count, dropped ones do not.
func (r *Reader) Len() int { return r.graph.Rows }

// K returns the length of a list, min(k, n-1).
func (r *Reader) K() int { return r.info.K }

// Shown turns a key into the distance that Neighbors returns.
func (r *Reader) Shown(key float32) float32 { return r.info.Shown(key) }

// Neighbors appends the list of row to buf[:0], nearest first, and returns it. An isolated
// row has none. It allocates nothing if cap(buf) >= K. Errors: ErrNoRow, ErrCorrupt,
// ErrClosed, and vectors.ErrFault where a file was cut, or its disk failed, since Open.
func (r *Reader) Neighbors(row Row, buf []Neighbor) (list []Neighbor, err error) {
	buf = buf[:0]
	err = r.graph.With(uint64(row), func(neighbors, keys []byte) {
		for i := 0; i < len(neighbors); i += 4 {
			key := math.Float32frombits(binary.LittleEndian.Uint32(keys[i:]))
			buf = append(buf, Neighbor{Row(binary.LittleEndian.Uint32(neighbors[i:])), r.info.Shown(key)})
		}
	})
	return buf, err
}

// Keyed is Neighbors with the rows as uint32 and the keys that order them: it appends both to
// neighbors[:0] and keys[:0].
func (r *Reader) Keyed(row Row, neighbors []uint32, keys []float32) ([]uint32, []float32, error) {
	neighbors, keys = neighbors[:0], keys[:0]
	err := r.graph.With(uint64(row), func(ns, ks []byte) {
		neighbors, keys = block.Uint32s(neighbors, ns), block.Float32s(keys, ks)
	})
	return neighbors, keys, err
}

// EachKeyed calls fn for every row in order, as Keyed returns it. It reuses both slices from
// call to call. An error of fn ends it and is returned.
func (r *Reader) EachKeyed(fn func(row Row, neighbors []uint32, keys []float32) error) error {
	var neighbors []uint32
	var keys []float32
	var err error
	for row := range r.graph.Rows {
		if neighbors, keys, err = r.Keyed(Row(row), neighbors, keys); err != nil {
			return err
		}
		if err := fn(Row(row), neighbors, keys); err != nil {
			return err
		}
	}
	return nil
}

// ID returns the external id of a row. Errors: ErrNoRow, ErrNoID where the store has no ids,
// ErrCorrupt, ErrClosed, vectors.ErrFault.
func (r *Reader) ID(row Row) (string, error) {
	id, err := r.graph.AppendID(nil, uint64(row))
	return string(id), err
}

// AppendID appends the external id of a row to dst. It allocates nothing if dst has room.
// Errors: those of ID.
func (r *Reader) AppendID(dst []byte, row Row) ([]byte, error) {
	return r.graph.AppendID(dst, uint64(row))
}

// RowOf finds a row by its external id, without allocating. Errors: ErrNoID, ErrCorrupt,
// ErrClosed, vectors.ErrFault.
func (r *Reader) RowOf(id string) (Row, error) {
	row, err := r.graph.RowOf(id)
	return Row(row), err
}

// Close waits for the calls in progress, then releases all files. Later calls return
// ErrClosed, and EachKeyed ends with it.
func (r *Reader) Close() error {
	if !r.graph.Close() {
		return nil
	}
	var errs []error
	if r.graph.View != nil {
		errs = append(errs, r.graph.View.Close())
	}
	if r.graph.Catalog != nil {
		errs = append(errs, r.graph.Catalog.Close())
	}
	return errors.Join(append(errs, r.home.Close())...)
}
