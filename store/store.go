package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/catalog"
	"github.com/knng/knng/store/internal/livefiles"
	"github.com/knng/knng/store/internal/lookup"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/store/reader"
)

// Options tunes a reader. The zero value works.
type Options struct {
	CacheBytes int64                            // Pebble's block cache; 0 is 64 MiB. Lookups by the view take none of it
	Logger     func(format string, args ...any) // Pebble's complaints; nil drops them
	// AsBuilt opens the graph as it was built also where package living wrote to the store since: it has
	// the rows that were deleted, and none that were put.
	AsBuilt bool
}

// A Store is a finished k-NN graph, read-only. All methods are safe for
// concurrent use, by several goroutines and several processes.
type Store struct {
	dir    string
	home   *sealed.Dir // dir, as it was opened
	engine *engine
	info   *Info
	shape  Shape
	opts   Options
	lists  *lists
	graph  lookup.Graph // looks up in the view, the catalog and lists

	inMu sync.Mutex
	in   *inbound // nil until in-neighbors are first requested
}

// Open opens a finished store. For each file in the seal it compares the size, and the
// contents of a small file or the ends of a large one, which hold a hash of its contents;
// Check compares all contents. It follows no link within the directory, and opens only
// sealed files and derived ones. Renaming the directory does not affect an open store.
//
// Errors: ErrNotFinished, ErrNotStore, which is fs.ErrNotExist too where there is no dir, ErrLiving where
// package living wrote to it since, ErrFormat, ErrCorrupt, also of a sealed file that is missing, and those of
// the system where they leave open whether the store is sound (too many open files, no permission).
func Open(dir string, opts *Options) (*Store, error) { return openWith(dir, opts, openLists) }

// openBuilt opens a store as it was built, whatever was written to it since.
func openBuilt(dir string) (*Store, error) { return Open(dir, &Options{AsBuilt: true}) }

// openWith opens a finished store, and its lists by a function.
func openWith(dir string, opts *Options, openLists func(e *engine, home *sealed.Dir, of block.Layout) (*lists, error)) (s *Store, err error) {
	defer caught(&err)
	if opts == nil {
		opts = new(Options)
	}
	if err := isFinished(dir); err != nil {
		return nil, err
	}
	root, err := openHome(dir)
	if err != nil {
		return nil, err
	}
	if !opts.AsBuilt {
		if err := livefiles.Refuse(root); err != nil {
			return nil, errors.Join(err, root.Close())
		}
	}
	s = &Store{dir: dir, opts: *opts}
	if s.engine, s.home, err = openSealed(root, opts); err != nil {
		return nil, err
	}
	if err = s.load(openLists); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

// load reads the records and opens the files for lookups.
func (s *Store) load(openLists func(e *engine, home *sealed.Dir, of block.Layout) (*lists, error)) (err error) {
	if s.info, err = reader.ReadInfo(s.engine.load); err != nil {
		return err
	}
	s.shape = Shape{Rows: s.info.Rows(), K: s.info.K, Lists: s.info.Lists}
	if s.lists, err = openLists(s.engine, s.home, block.Out(s.shape)); err != nil {
		return err
	}
	if s.lists.view == nil { // whose size bounds the rows
		if err := s.engine.reaches(s.shape.Rows); err != nil {
			return err
		}
	}
	if s.lists.home != nil {
		if s.graph.Catalog, err = s.openCatalog(); err != nil {
			return err
		}
	}
	s.info.View, s.info.Files = s.lists.view != nil, s.home.Files
	s.graph.Rows, s.graph.IDs = s.shape.Rows, s.info.IDs
	s.graph.View, s.graph.Fallback = s.lists.view, s.lists
	return nil
}

// openCatalog opens the catalog; it is nil where there is none.
func (s *Store) openCatalog() (*catalog.Catalog, error) {
	c, err := catalog.Open(s.home)
	if err != nil || c == nil {
		return nil, err
	}
	if c.Rows() != s.shape.Rows || s.info.IDs && c.Rows() > 0 && !c.HasIDs() {
		return nil, errors.Join(&AdvisedError{
			Err:    fmt.Errorf("%w: %s is of %d rows, want %d with ids", ErrCorrupt, s.home.Path(catalog.Name), c.Rows(), s.shape.Rows),
			Advice: "; it may be deleted",
		}, c.Close())
	}
	return c, nil
}

// openSealed opens the database of a sealed directory. It takes the directory over, also
// where there is an error.
func openSealed(root *rooted.Dir, opts *Options) (e *engine, home *sealed.Dir, err error) {
	cache := opts.CacheBytes
	if cache == 0 {
		cache = 64 << 20
	}
	if home, err = sealed.Open(root); err != nil {
		return nil, nil, err
	}
	e, err = openEngine(sealedFiles(home), home.Path(graphName), cache, toRead, opts.Logger)
	if err != nil {
		home.Close()
		return nil, nil, storeerr.Damage(err)
	}
	var tables []sealed.Identity
	if err = e.boundRecords(); err == nil {
		tables, err = e.identities()
	}
	if err == nil {
		err = home.CheckIdentities(tables, sealed.IsTable)
	}
	if err != nil {
		e.close()
		home.Close()
		return nil, nil, err
	}
	return e, home, nil
}

// Dir is the directory of the store, as Open was given it.
func (s *Store) Dir() string { return s.dir }

// Info describes the store.
func (s *Store) Info() Info { return *s.info }

// Len is the number of rows: isolated ones count, dropped ones do not.
func (s *Store) Len() int { return s.shape.Rows }

// K is the length of a list, min(k, n-1).
func (s *Store) K() int { return s.shape.K }

// OwnDistance reports whether the keys come from a distance that is no metric of the
// rows: rank-order, or a function of the program that built the graph.
func (s *Store) OwnDistance() bool { return s.info.OwnDistance() }

// Shown turns a key into the distance that Neighbors returns.
func (s *Store) Shown(key float32) float32 { return s.info.Shown(key) }

// Neighbors appends the list of row to buf[:0], nearest first, and returns it;
// an isolated row has none. It allocates nothing when cap(buf) >= K. Errors:
// ErrNoRow, ErrCorrupt, ErrClosed, and vectors.ErrFault where a file was truncated, or its
// disk failed, since it was opened.
func (s *Store) Neighbors(row Row, buf []Neighbor) (list []Neighbor, err error) {
	buf = buf[:0]
	err = s.graph.With(uint64(row), func(neighbors, keys []byte) { buf = s.appendShown(buf, neighbors, keys) })
	return buf, err
}

// appendShown decodes a list.
func (s *Store) appendShown(dst []Neighbor, neighbors, keys []byte) []Neighbor {
	for i := 0; i < len(neighbors); i += 4 {
		key := math.Float32frombits(binary.LittleEndian.Uint32(keys[i:]))
		dst = append(dst, Neighbor{Row: Row(binary.LittleEndian.Uint32(neighbors[i:])), Distance: s.Shown(key)})
	}
	return dst
}

// Keyed is Neighbors with the rows as uint32 and the raw keys that order them: it
// appends both to neighbors[:0] and keys[:0]. Errors: those of Neighbors.
func (s *Store) Keyed(row Row, neighbors []uint32, keys []float32) ([]uint32, []float32, error) {
	return s.AppendKeyed(row, neighbors[:0], keys[:0])
}

// AppendKeyed is Keyed that appends to neighbors and keys as they are.
func (s *Store) AppendKeyed(row Row, neighbors []uint32, keys []float32) ([]uint32, []float32, error) {
	err := s.graph.With(uint64(row), func(ns, ks []byte) {
		neighbors, keys = block.Uint32s(neighbors, ns), block.Float32s(keys, ks)
	})
	return neighbors, keys, err
}

// RowOf finds a row by its external id. Errors: ErrNoID, ErrCorrupt, ErrClosed.
func (s *Store) RowOf(id string) (Row, error) {
	row, err := s.graph.RowOf(id)
	return Row(row), err
}

// ID returns the external id of a row. Errors: ErrNoRow, ErrNoID where the
// store has no ids, ErrCorrupt, ErrClosed.
func (s *Store) ID(row Row) (string, error) {
	id, err := s.graph.AppendID(nil, uint64(row))
	return string(id), err
}

// Close waits for running calls and iterations, then releases everything: it must not be
// called from within one. Later calls return ErrClosed.
func (s *Store) Close() error {
	if !s.graph.Close() {
		return nil
	}
	return s.release()
}

// release closes all that was opened.
func (s *Store) release() (err error) {
	if s.lists != nil {
		err = s.lists.close()
	}
	if s.graph.Catalog != nil {
		err = errors.Join(err, s.graph.Catalog.Close())
	}
	err = errors.Join(err, s.engine.close())
	if s.in != nil {
		err = errors.Join(err, s.in.close())
	}
	return errors.Join(err, s.home.Close())
}
