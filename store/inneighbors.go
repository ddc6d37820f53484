package store

import (
	"errors"
	"fmt"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/vectors"
)

// inbound is the open database of in-neighbors.
type inbound struct {
	Reverse
	*lists
	home *sealed.Dir
}

func (in *inbound) close() error {
	return errors.Join(in.lists.close(), in.engine.close(), in.home.Close())
}

// InNeighbors appends to buf[:0] the rows whose lists hold row, nearest first
// (by key and row), with the distances of those lists, and returns it. There may
// be none, and there may be any number below Len: some rows are in the lists of
// thousands. It allocates nothing when cap(buf) is enough.
//
// The in-neighbors are opened when they are first asked for, with a block cache
// of their own as large as that of the store. Errors: ErrNoReverse where
// BuildReverse has not built them, ErrNoRow, ErrCorrupt, ErrClosed.
func (s *Store) InNeighbors(row Row, buf []Neighbor) (list []Neighbor, err error) {
	buf = buf[:0]
	if uint64(row) >= uint64(s.shape.Rows) {
		return buf, fmt.Errorf("%w: %d, the store has %d rows, from 0", ErrNoRow, row, s.shape.Rows)
	}
	if !s.graph.Enter() {
		return buf, ErrClosed
	}
	defer s.graph.Leave()
	in, err := s.inbound()
	if err != nil {
		return buf, err
	}
	err = in.with(row, func(neighbors, keys []byte) { buf = s.appendShown(buf, neighbors, keys) })
	if err != nil {
		err = fmt.Errorf("in-neighbors: %w", err)
	}
	return buf, err
}

// EachIn calls fn for every row in order with the rows that list it and the raw
// keys, sorted by (key, row), both reused from call to call. An error of fn ends
// the iteration and is returned. Errors: those of InNeighbors.
func (s *Store) EachIn(fn func(row Row, neighbors []uint32, keys []float32) error) error {
	if !s.graph.Enter() {
		return ErrClosed
	}
	defer s.graph.Leave()
	in, err := s.inbound()
	if err != nil {
		return err
	}
	var ns []uint32
	var ks []float32
	return in.each(func(row int, neighbors, keys []byte) error {
		ns, ks = block.Uint32s(ns[:0], neighbors), block.Float32s(ks[:0], keys)
		return fn(Row(row), ns, ks)
	})
}

// Reverse describes the in-neighbors. Errors: ErrNoReverse, ErrCorrupt,
// ErrClosed.
func (s *Store) Reverse() (Reverse, error) {
	if !s.graph.Enter() {
		return Reverse{}, ErrClosed
	}
	defer s.graph.Leave()
	in, err := s.inbound()
	if err != nil {
		return Reverse{}, err
	}
	return in.Reverse, nil
}

// inbound opens the in-neighbors, or returns those open. Another process may
// build them at any time, so their absence is not remembered.
func (s *Store) inbound() (*inbound, error) {
	s.inMu.Lock()
	defer s.inMu.Unlock()
	if s.in != nil {
		return s.in, nil
	}
	in, err := s.openReverse()
	if err != nil {
		return nil, err
	}
	s.in = in
	return in, nil
}

func (s *Store) openReverse() (*inbound, error) {
	dir := s.home.Path(reverseName)
	home, err := s.home.Sub(reverseName)
	if sealed.Missing(err) {
		return nil, fmt.Errorf("%w in %s: BuildReverse builds them", ErrNoReverse, s.dir)
	}
	var in *inbound
	if err == nil {
		in, err = openInbound(home, &s.opts)
	} else {
		err = storeerr.Damage(err)
	}
	if err == nil && (in.Checksum != s.info.Checksum || in.Rows != s.shape.Rows) {
		err = errors.Join(fmt.Errorf("%w: they are of another graph", ErrCorrupt), in.close())
	}
	if err != nil {
		return nil, fmt.Errorf("in-neighbors in %s, which may be deleted: %w", dir, err)
	}
	return in, nil
}

// openInbound opens in-neighbors. It takes their folder over, also where there is an error.
func openInbound(root *rooted.Dir, opts *Options) (in *inbound, err error) {
	defer caught(&err)
	e, home, err := openSealed(root, opts)
	if err != nil {
		return nil, err
	}
	in = &inbound{home: home}
	ok, err := e.load(reverseRecord, &in.Reverse)
	if err == nil && (!ok || in.Rows < 0 || int64(in.Rows) > vectors.MaxRows) {
		err = fmt.Errorf("%w: no record of in-neighbors, or of %d rows", ErrCorrupt, in.Rows)
	}
	if err == nil {
		in.lists, err = openLists(e, home, block.In(in.Rows))
	}
	if err != nil {
		return nil, errors.Join(err, e.close(), home.Close())
	}
	for _, f := range home.Files {
		in.Bytes += f.Size
	}
	return in, nil
}
