package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/inflight"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/vectors/distance"
)

// Options tunes a reader. The zero value works.
type Options struct {
	CacheBytes int64                            // Pebble's block cache; 0 is 64 MiB. Lookups by the view take none of it
	Logger     func(format string, args ...any) // Pebble's complaints; nil drops them
}

// A Store is a finished k-NN graph, read-only. All methods are safe for
// concurrent use, by several goroutines and several processes.
type Store struct {
	dir    string
	home   *sealed.Dir // dir, as it was opened
	engine *engine
	info   Info
	shape  Shape
	metric distance.Metric // 0: a user's own distance
	scale  int             // of the rows, as Manifest.Scale
	calls  inflight.Calls
	opts   Options
	lists  *lists

	inMu sync.Mutex
	in   *inbound // nil until in-neighbors are first asked for
}

// Info is what a store says of itself.
type Info struct {
	Manifest Manifest
	Checksum string          // hex SHA-256 of the gt export
	Distance string          // what orders the lists: the metric, or the name of a distance function
	K        int             // length of the lists: min(manifest K, n-1)
	Lists    int             // rows with a list
	IDs      bool            // external ids are there
	View     bool            // lists are looked up without Pebble
	Result   json.RawMessage // the builder's report
	Files    []SealedFile    // from DIR/SEAL
}

// Open opens a finished store. Of each file in the seal it compares the size, and either the
// contents, where the file is small, or the ends of it, which say what is between; Check
// compares all contents. It follows no link within the directory and opens no file that is
// not sealed. An open store stays the one that was opened, whatever its directory's name
// comes to mean, and wherever the process goes.
// Errors: ErrNotFinished, ErrNotStore, ErrFormat, ErrCorrupt, and those of the system where
// they say nothing of the files' contents (not there, too many open files, no permission).
func Open(dir string, opts *Options) (*Store, error) { return openWith(dir, opts, openLists) }

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
	s = &Store{dir: dir, opts: *opts}
	if s.engine, s.home, err = openSealed(root, opts); err != nil {
		return nil, err
	}
	s.info.Files = s.home.Files
	err = s.load()
	if err == nil {
		s.lists, err = openLists(s.engine, s.home, block.Out(s.shape))
	}
	if err == nil && s.lists.view == nil { // whose length tells as much
		err = s.engine.reaches(s.shape.Rows)
	}
	if err != nil {
		s.engine.close()
		s.home.Close()
		return nil, err
	}
	s.info.View = s.lists.view != nil
	return s, nil
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
	if err = e.boundRecords(); err == nil {
		err = e.checkIdentities(home, sealed.IsTable)
	}
	if err != nil {
		e.close()
		home.Close()
		return nil, nil, err
	}
	return e, home, nil
}

// load reads the records that a reader needs.
func (s *Store) load() error {
	e := s.engine
	result := struct {
		Checksum string `json:"checksum"`
	}{}
	var ids int
	hasIDs, err := e.load(idsRecord, &ids)
	if err != nil {
		return err
	}
	for _, r := range []struct {
		name string
		into any
	}{{"manifest", &s.info.Manifest}, {block.ShapeRecord, &s.shape}, {"result", &s.info.Result}, {"result", &result}} {
		ok, err := e.load(r.name, r.into)
		if err == nil && !ok {
			err = fmt.Errorf("%w: %s has no %s", ErrCorrupt, s.dir, r.name)
		}
		if err != nil {
			return err
		}
	}
	if err := s.info.Manifest.check(); err != nil {
		return err
	}
	if err := s.shape.Check(); err != nil {
		return err
	}
	s.info.Checksum, s.info.K, s.info.Lists, s.info.IDs = result.Checksum, s.shape.K, s.shape.Lists, hasIDs
	s.metric, _ = distance.ParseMetric(s.info.Manifest.Metric)
	s.info.Distance, s.scale = s.info.Manifest.Metric, s.info.Manifest.Scale()
	if name := s.info.Manifest.option("distance"); name != absent {
		s.metric, s.info.Distance = 0, name
	}
	return nil
}

// Dir is the directory of the store, as Open was given it.
func (s *Store) Dir() string { return s.dir }

// Info returns what the store says of itself.
func (s *Store) Info() Info { return s.info }

// Len is the number of rows: isolated ones count, dropped ones do not.
func (s *Store) Len() int { return s.shape.Rows }

// K is the length of a list, min(k, n-1).
func (s *Store) K() int { return s.shape.K }

// OwnDistance reports whether the keys come from a distance that is no metric of the
// rows: rank-order, or a function of the program that built the graph.
func (s *Store) OwnDistance() bool { return s.metric == 0 }

// Shown turns a key into the distance that Neighbors shows.
func (s *Store) Shown(key float32) float32 {
	if s.metric == 0 {
		return key
	}
	if s.scale != 0 {
		return shown(s.metric, key, s.scale)
	}
	return s.metric.Shown(key)
}

// Neighbors appends the list of row to buf[:0], nearest first, and returns it;
// an isolated row has none. It allocates nothing when cap(buf) >= K. Errors:
// ErrNoRow, ErrCorrupt, ErrClosed, and vectors.ErrFault where a file was truncated, or its
// disk failed, since it was opened.
func (s *Store) Neighbors(row Row, buf []Neighbor) (list []Neighbor, err error) {
	buf = buf[:0]
	err = s.lookup(row, func(neighbors, keys []byte) { buf = s.appendShown(buf, neighbors, keys) })
	return buf, err
}

// appendShown decodes a raw list.
func (s *Store) appendShown(dst []Neighbor, neighbors, keys []byte) []Neighbor {
	for i := 0; i < len(neighbors); i += 4 {
		key := math.Float32frombits(binary.LittleEndian.Uint32(keys[i:]))
		dst = append(dst, Neighbor{Row(binary.LittleEndian.Uint32(neighbors[i:])), s.Shown(key)})
	}
	return dst
}

// Keyed is Neighbors with the rows as uint32 and the raw keys that order them: it
// appends both to neighbors[:0] and keys[:0]. Errors: those of Neighbors.
func (s *Store) Keyed(row Row, neighbors []uint32, keys []float32) ([]uint32, []float32, error) {
	neighbors, keys = neighbors[:0], keys[:0]
	err := s.lookup(row, func(ns, ks []byte) {
		neighbors, keys = block.Uint32s(neighbors, ns), block.Float32s(keys, ks)
	})
	return neighbors, keys, err
}

// lookup calls fn with the raw list of a row.
func (s *Store) lookup(row Row, fn func(neighbors, keys []byte)) error {
	if uint64(row) >= uint64(s.shape.Rows) {
		return fmt.Errorf("%w: %d, the store has %d", ErrNoRow, row, s.shape.Rows)
	}
	if !s.calls.Enter() {
		return ErrClosed
	}
	defer s.calls.Leave()
	return s.lists.with(row, fn)
}

// RowOf finds a row by its external id. Errors: ErrNoID, ErrCorrupt, ErrClosed.
func (s *Store) RowOf(id string) (Row, error) {
	if !s.info.IDs {
		return 0, fmt.Errorf("%w: %q, the store has no external ids", ErrNoID, id)
	}
	if !s.calls.Enter() {
		return 0, ErrClosed
	}
	defer s.calls.Leave()
	row, err := s.engine.rowOf(id)
	if err == nil && uint64(row) >= uint64(s.shape.Rows) {
		return 0, fmt.Errorf("%w: id %q is of row %d of %d", ErrCorrupt, id, row, s.shape.Rows)
	}
	return row, err
}

// ID returns the external id of a row. Errors: ErrNoRow, ErrNoID where the
// store has no ids, ErrCorrupt, ErrClosed.
func (s *Store) ID(row Row) (string, error) {
	if uint64(row) >= uint64(s.shape.Rows) {
		return "", fmt.Errorf("%w: %d, the store has %d", ErrNoRow, row, s.shape.Rows)
	}
	if !s.info.IDs {
		return "", fmt.Errorf("%w: the store has no external ids", ErrNoID)
	}
	if !s.calls.Enter() {
		return "", ErrClosed
	}
	defer s.calls.Leave()
	return s.engine.idOf(uint64(row))
}

// Close waits for running calls and iterations, then releases everything: it must not be
// called from within one. Later calls return ErrClosed.
func (s *Store) Close() error {
	if !s.calls.Close() {
		return nil
	}
	err := errors.Join(s.lists.close(), s.engine.close())
	if s.in != nil {
		err = errors.Join(err, s.in.close())
	}
	return errors.Join(err, s.home.Close())
}
