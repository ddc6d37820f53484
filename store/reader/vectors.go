package reader

import (
	"fmt"

	"github.com/knng/knng/store/internal/inflight"
	"github.com/knng/knng/store/internal/lookup"
	"github.com/knng/knng/vectors"
)

// Vectors are the vectors of a store's rows, mapped. They are safe for concurrent use.
type Vectors struct {
	calls inflight.Calls // of Row
	r     *Reader
	in    *vectors.Input
	rows  *vectors.Rows
}

// Vectors opens the vectors that the graph was built from: the store's own copy, or the
// referenced file, if it is unchanged. They must be closed, before the Reader. Under
// ScaleOption the store's own copy is scaled. Errors: ErrSparse, ErrCorrupt, ErrClosed, and those of
// opening the referenced file.
func (r *Reader) Vectors() (*Vectors, error) {
	if !r.graph.Enter() {
		return nil, ErrClosed
	}
	defer r.graph.Leave()
	if _, err := r.info.Manifest.RowType(); err != nil {
		return nil, err
	}
	in, err := r.openVectors()
	if err != nil {
		return nil, err
	}
	rows, ok := in.Mapped()
	if !ok {
		in.Close()
		return nil, fmt.Errorf("store: the referenced vectors of %s cannot be mapped where they lie", r.dir)
	}
	return &Vectors{r: r, in: in, rows: rows}, nil
}

func (r *Reader) openVectors() (*vectors.Input, error) {
	if r.info.Manifest.Vectors == "reference" {
		return lookup.ReferencedRows(r.home, r.info.Manifest.Files)
	}
	list, err := r.identities()
	if err != nil {
		return nil, err
	}
	return lookup.CopiedRows(r.home, list)
}

// Dim returns the number of components of a vector.
func (v *Vectors) Dim() int { return v.rows.Dim() }

// Type returns the type of a component.
func (v *Vectors) Type() vectors.Type { return v.rows.Type() }

// Row appends the vector of a row to dst[:0], its components encoded little-endian. Errors:
// ErrNoRow, ErrNoVector, ErrCorrupt, ErrClosed, vectors.ErrFault.
func (v *Vectors) Row(row Row, dst []byte) ([]byte, error) {
	g := &v.r.graph
	dst = dst[:0]
	if uint64(row) >= uint64(g.Rows) {
		return dst, fmt.Errorf("%w: %d, the store has %d rows, from 0", ErrNoRow, row, g.Rows)
	}
	if !v.calls.Enter() {
		return dst, ErrClosed
	}
	defer v.calls.Leave()
	if !g.Enter() {
		return dst, ErrClosed
	}
	defer g.Leave()
	place, ok, err := g.Catalog.Place(int(row))
	switch {
	case err != nil:
		return dst, err
	case !ok:
		return dst, fmt.Errorf("%w: %d", ErrNoVector, row)
	case place >= v.rows.Len():
		return dst, fmt.Errorf("%w: row %d has place %d of %d", ErrCorrupt, row, place, v.rows.Len())
	}
	err = vectors.Guard(func() error {
		dst = append(dst, v.rows.Row(place)...)
		return nil
	})
	return dst, err
}

// Close waits for running calls, then unmaps the vectors. Later calls of Row return ErrClosed.
func (v *Vectors) Close() error {
	if !v.calls.Close() {
		return nil
	}
	return v.in.Close()
}
