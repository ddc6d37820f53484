package store

import (
	"errors"
	"fmt"
	"iter"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/vectors"
)

// EachKeyed calls fn for every row in order with neighbor rows and raw keys,
// both reused from call to call; isolated rows have none. An error of fn ends
// the iteration and is returned.
func (s *Store) EachKeyed(fn func(row Row, neighbors []uint32, keys []float32) error) error {
	if !s.calls.Enter() {
		return ErrClosed
	}
	defer s.calls.Leave()
	var ns []uint32
	var ks []float32
	return s.lists.each(func(row int, neighbors, keys []byte) error {
		ns, ks = block.Uint32s(ns[:0], neighbors), block.Float32s(ks[:0], keys)
		return fn(Row(row), ns, ks)
	})
}

// An Iteration goes over the rows of a store; see Store.Iterate.
type Iteration struct {
	s   *Store
	err error
}

// Iterate begins an iteration over all rows, in order.
func (s *Store) Iterate() *Iteration { return &Iteration{s: s} }

// All yields every row with its list, which is reused from row to row. An error
// ends it; Err returns that error afterwards.
func (it *Iteration) All() iter.Seq2[Row, []Neighbor] {
	return func(yield func(Row, []Neighbor) bool) {
		it.err = it.s.each(yield)
	}
}

// Err is the error that ended the last All, or nil.
func (it *Iteration) Err() error { return it.err }

// errStop ends eachRow where a consumer wants no more.
var errStop = errors.New("stop")

func (s *Store) each(yield func(Row, []Neighbor) bool) error {
	if !s.calls.Enter() {
		return ErrClosed
	}
	defer s.calls.Leave()
	var list []Neighbor
	err := s.lists.each(func(row int, neighbors, keys []byte) error {
		list = s.appendShown(list[:0], neighbors, keys)
		if !yield(Row(row), list) {
			return errStop
		}
		return nil
	})
	if err == errStop {
		return nil
	}
	return err
}

// Vectors opens the rows that the graph was built from: the store's own copy in
// locality order, or the referenced sources, after checking that they are
// unchanged. order[place] is the row of each. The caller closes the input.
func (s *Store) Vectors() (in *vectors.Input, order []uint32, err error) {
	if !s.calls.Enter() {
		return nil, nil, ErrClosed
	}
	defer s.calls.Leave()
	if order, err = s.engine.order(); err != nil {
		return nil, nil, err
	}
	if s.info.Manifest.Vectors == "reference" {
		in, err = s.referenced()
	} else {
		in, err = s.copied()
	}
	if err == nil && in.Len() != len(order) {
		in.Close()
		err = fmt.Errorf("%w: %d rows of vectors, %d places", ErrCorrupt, in.Len(), len(order))
	}
	return in, order, err
}

func (s *Store) copied() (*vectors.Input, error) {
	if err := s.engine.checkIdentities(s.home, sealed.IsRows); err != nil {
		return nil, err
	}
	f, err := s.home.Open(rowsPath)
	if err != nil {
		return nil, storeerr.Damage(err)
	}
	defer f.Close()
	rows, err := vectors.OpenedRows(f, s.home.Path(rowsPath))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return vectors.NewInput(rows), nil
}

func (s *Store) referenced() (*vectors.Input, error) {
	files := s.info.Manifest.Files
	if len(files) != 1 || vectors.Streamed(files[0].Path) { // nor is what a stranger's store names unpacked
		return nil, fmt.Errorf("%w: the referenced vectors: %d files, want one that can be mapped where it lies", ErrCorrupt, len(files))
	}
	f, err := s.found(files[0])
	if err != nil {
		return nil, err
	}
	if vectors.Streamed(f.Path) {
		return nil, fmt.Errorf("store: the referenced vectors: %s cannot be mapped where it lies", f.Path)
	}
	return vectors.Open([]string{f.Path}, &vectors.OpenOptions{Limit: files[0].Rows})
}
