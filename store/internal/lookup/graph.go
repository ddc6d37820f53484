// Package lookup answers the lookups in an open graph for packages store and reader.
package lookup

import (
	"fmt"

	"github.com/knng/knng/store/internal/catalog"
	"github.com/knng/knng/store/internal/inflight"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/store/internal/view"
	"github.com/knng/knng/vectors/distance"
)

// A Graph looks up lists in the view and ids in the catalog, and in Fallback where it has
// none of these. It is safe for concurrent use.
type Graph struct {
	inflight.Calls
	Rows     int
	IDs      bool // rows have external ids
	View     *view.View
	Catalog  *catalog.Catalog
	Fallback Fallback
}

// A Fallback looks up lists and ids in the database.
type Fallback interface {
	// List returns the encoded list of a row, valid until held is released.
	List(row uint64) (neighbors, keys []byte, held Held, err error)
	AppendID(dst []byte, row uint64) ([]byte, error)
	RowOf(id string) (row uint64, ok bool, err error)
}

// Held is memory in use by a caller.
type Held interface{ Release() }

// With calls fn with the encoded list of a row, valid during the call. Errors:
// storeerr.ErrNoRow, storeerr.ErrCorrupt, storeerr.ErrClosed, vectors.ErrFault.
func (g *Graph) With(row uint64, fn func(neighbors, keys []byte)) error {
	if err := g.enter(row); err != nil {
		return err
	}
	defer g.Leave()
	if g.View != nil {
		return g.View.With(int(row), fn)
	}
	neighbors, keys, held, err := g.Fallback.List(row)
	if err != nil {
		return err
	}
	defer held.Release()
	fn(neighbors, keys)
	return nil
}

// enter begins a call about a row.
func (g *Graph) enter(row uint64) error {
	if row >= uint64(g.Rows) {
		return fmt.Errorf("%w: %d, the store has %d rows, from 0", storeerr.ErrNoRow, row, g.Rows)
	}
	if !g.Enter() {
		return storeerr.ErrClosed
	}
	return nil
}

// AppendID appends the external id of a row to dst. Errors: storeerr.ErrNoRow, storeerr.ErrNoID,
// storeerr.ErrCorrupt, storeerr.ErrClosed, vectors.ErrFault.
func (g *Graph) AppendID(dst []byte, row uint64) ([]byte, error) {
	if err := g.enter(row); err != nil {
		return dst, err
	}
	defer g.Leave()
	switch {
	case !g.IDs:
		return dst, fmt.Errorf("%w: the store has no external ids", storeerr.ErrNoID)
	case g.Catalog != nil:
		return g.Catalog.AppendID(dst, int(row))
	}
	return g.Fallback.AppendID(dst, row)
}

// RowOf finds a row by its external id. Errors: storeerr.ErrNoID, storeerr.ErrCorrupt,
// storeerr.ErrClosed, vectors.ErrFault.
func (g *Graph) RowOf(id string) (row uint64, err error) {
	if !g.Enter() {
		return 0, storeerr.ErrClosed
	}
	defer g.Leave()
	if !g.IDs {
		return 0, fmt.Errorf("%w: %q, the store has no external ids", storeerr.ErrNoID, id)
	}
	row, ok, err := g.find(id)
	switch {
	case err != nil:
		return 0, err
	case !ok:
		return 0, fmt.Errorf("%w: %q", storeerr.ErrNoID, id)
	case row >= uint64(g.Rows):
		return 0, fmt.Errorf("%w: id %q is of row %d of %d", storeerr.ErrCorrupt, id, row, g.Rows)
	}
	return row, nil
}

func (g *Graph) find(id string) (row uint64, ok bool, err error) {
	if g.Catalog == nil {
		return g.Fallback.RowOf(id)
	}
	n, ok, err := g.Catalog.Row(id)
	return uint64(n), ok, err
}

// A Distance turns keys into the distances that people see.
type Distance struct {
	Metric distance.Metric // 0: the program's own distance, whose keys are shown as they are
	Scale  int             // the rows were multiplied by 2 to this power before they were compared
}

// Shown returns the distance under a key.
func (d Distance) Shown(key float32) float32 {
	if d.Metric == 0 {
		return key
	}
	return d.Metric.ShownOf(key, d.Scale)
}
