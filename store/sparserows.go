package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/sparse"
)

// WriteSparse writes the store's own rows, which are sparse, by a function: all of them, or
// none where it fails.
func (d *Draft) WriteSparse(write func(w io.Writer) error) error {
	p, err := newPublication(d.fs, d.RowsPath())
	if err != nil {
		return err
	}
	rows := &rowsPublication{publication: p, d: d, blocks: newBlockSums()}
	defer p.Abort()
	w := bufio.NewWriterSize(rows, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return rows.Commit()
}

// Sparse maps the store's own sparse rows, and compares those of an earlier run with their
// record. Errors: ErrCorrupt.
func (d *Draft) Sparse() (*sparse.Rows, error) {
	f, err := d.home.Open(rowsPath)
	if err != nil {
		return nil, storeerr.Damage(err)
	}
	defer f.Close()
	if err := d.checkRows(f); err != nil {
		return nil, err
	}
	return sparse.OpenedRows(f, d.RowsPath())
}

// Sparse maps the rows of a store whose rows are sparse: order[place] is the row of each. The
// caller closes them, before the Store. Errors: ErrNotSparse, ErrCorrupt, ErrClosed.
func (s *Store) Sparse() (rows *sparse.Rows, order []uint32, err error) {
	if !s.graph.Enter() {
		return nil, nil, ErrClosed
	}
	defer s.graph.Leave()
	if !s.info.Manifest.Sparse() {
		return nil, nil, ErrNotSparse
	}
	if order, err = s.engine.order(); err != nil {
		return nil, nil, err
	}
	identities, err := s.engine.identities()
	if err == nil {
		err = s.home.CheckIdentities(identities, sealed.IsRows)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := s.home.Open(rowsPath)
	if err != nil {
		return nil, nil, storeerr.Damage(err)
	}
	defer f.Close()
	if rows, err = sparse.OpenedRows(f, s.home.Path(rowsPath)); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if rows.Len() != len(order) || rows.Columns() != s.info.Manifest.Dim {
		return nil, nil, errors.Join(fmt.Errorf("%w: %d sparse rows of %d columns, want %d of %d", ErrCorrupt, rows.Len(), rows.Columns(), len(order), s.info.Manifest.Dim), rows.Close())
	}
	return rows, order, nil
}

// ErrNotSparse: the rows of the store are vectors of all columns, which Vectors opens.
var ErrNotSparse = errors.New("store: rows are not sparse")

// recomputedSparse is recomputed for sparse rows.
func (s *Store) recomputedSparse(metric distance.Metric) (key func(a, b uint32) (float32, error), done func() error, err error) {
	rows, order, err := s.Sparse()
	if err != nil {
		return nil, nil, err
	}
	places := slices.Repeat([]uint32{math.MaxUint32}, s.Len())
	for place, row := range order {
		if int(row) < len(places) {
			places[row] = uint32(place)
		}
	}
	return func(a, b uint32) (key float32, err error) {
		if places[a] == math.MaxUint32 || places[b] == math.MaxUint32 {
			return 0, fmt.Errorf("%w: row %d or %d has no place", ErrCorrupt, a, b)
		}
		err = vectors.Guard(func() error {
			key = rows.Key(metric, int(places[a]), int(places[b]))
			return nil
		})
		return key, err
	}, rows.Close, nil
}
