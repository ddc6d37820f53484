package store

import (
	"encoding/json"
	"iter"

	"github.com/knng/knng/vectors"
)

// Options tunes a reader. The zero value works.
type Options struct {
	CacheBytes int64                            // Pebble's block cache; 0 is 64 MiB
	Logger     func(format string, args ...any) // Pebble's messages; nil drops them
}

// A Store is a finished k-NN graph, read-only. All methods are safe for
// concurrent use, by several goroutines and several processes.
type Store struct{}

// Open opens a finished store. ErrNotFinished, ErrNotStore, ErrCorrupt.
func Open(dir string, opts *Options) (*Store, error) { panic("stub") }

// Info is what a store says of itself.
type Info struct {
	Manifest Manifest
	Checksum string          // hex SHA-256 of the gt export
	K        int             // length of the lists: min(manifest K, n-1)
	Lists    int             // rows with a list
	IDs      bool            // external ids are there
	Result   json.RawMessage // the builder's report
	Files    []SealedFile    // from DIR/SEAL
}

// SealedFile is a line of DIR/SEAL.
type SealedFile struct {
	Path   string `json:"path"` // relative, slash-separated
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Info returns what the store says of itself.
func (s *Store) Info() Info { panic("stub") }

// Len is the number of rows and K the length of a list, min(k, n-1).
func (s *Store) Len() int { panic("stub") }
func (s *Store) K() int   { panic("stub") }

// Neighbors appends the list of row to buf[:0], nearest first, and returns it.
// It allocates nothing when cap(buf) >= K. ErrNoRow, ErrCorrupt, ErrClosed.
func (s *Store) Neighbors(row Row, buf []Neighbor) ([]Neighbor, error) { panic("stub") }

// RowOf finds a row by its external id; ID returns a row's external id.
func (s *Store) RowOf(id string) (Row, error) { panic("stub") }
func (s *Store) ID(row Row) (string, error)   { panic("stub") }

// All iterates over the rows in order. The slice is reused from row to row. An
// error ends the iteration; Err returns it.
func (s *Store) All() iter.Seq2[Row, []Neighbor] { panic("stub") }
func (s *Store) Err() error                      { panic("stub") }

// EachKeyed calls fn for every row in order with neighbor rows and raw keys,
// both reused from call to call; isolated rows have none.
func (s *Store) EachKeyed(fn func(row Row, neighbors []uint32, keys []float32) error) error {
	panic("stub")
}

// Keyed appends the neighbors and keys of one row to the two slices.
func (s *Store) Keyed(row Row, neighbors []uint32, keys []float32) ([]uint32, []float32, error) {
	panic("stub")
}

// Vectors opens the rows that the graph was built from: the store's own copy in
// locality order, or the referenced sources (identity order), after checking
// that they are unchanged. order[place] = row; nil is the identity. The caller
// closes the rows.
func (s *Store) Vectors() (rows vectors.Source, order []uint32, close func() error, err error) {
	panic("stub")
}

// Close waits for running calls and iterators, then releases everything.
func (s *Store) Close() error { panic("stub") }
