package store

import (
	"errors"
	"fmt"
	"iter"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/lookup"
	"github.com/knng/knng/vectors"
)

// EachKeyed calls fn for every row in order with neighbor rows and raw keys,
// both reused from call to call; isolated rows have none. An error of fn ends
// the iteration and is returned.
func (s *Store) EachKeyed(fn func(row Row, neighbors []uint32, keys []float32) error) error {
	if !s.graph.Enter() {
		return ErrClosed
	}
	defer s.graph.Leave()
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
	if !s.graph.Enter() {
		return ErrClosed
	}
	defer s.graph.Leave()
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
// unchanged. order[place] is the row of each. The caller closes the input. Errors: ErrSparse
// where rows are sparse, which Sparse opens, ErrCorrupt, ErrClosed.
func (s *Store) Vectors() (in *vectors.Input, order []uint32, err error) {
	if !s.graph.Enter() {
		return nil, nil, ErrClosed
	}
	defer s.graph.Leave()
	if _, err := s.info.Manifest.RowType(); err != nil {
		return nil, nil, err
	}
	if order, err = s.engine.order(); err != nil {
		return nil, nil, err
	}
	if s.info.Manifest.Vectors == "reference" {
		in, err = lookup.ReferencedRows(s.home, s.info.Manifest.Files)
	} else {
		in, err = s.copiedRows()
	}
	if err == nil && in.Len() != len(order) {
		in.Close()
		err = fmt.Errorf("%w: %d rows of vectors, %d places", ErrCorrupt, in.Len(), len(order))
	}
	return in, order, err
}

func (s *Store) copiedRows() (*vectors.Input, error) {
	identities, err := s.engine.identities()
	if err != nil {
		return nil, err
	}
	return lookup.CopiedRows(s.home, identities)
}
