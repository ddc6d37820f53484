package explore

import (
	"context"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis"
)

// Graph is what a page shows: a *store.Store, beside which the map is kept, or the live rows of one that was written to.
type Graph interface {
	analysis.Graph
	Info() store.Info
	ID(row store.Row) (string, error)
	RowOf(id string) (store.Row, error)
	Neighbors(row store.Row, buf []store.Neighbor) ([]store.Neighbor, error)
}

// under is a graph whose passes end with a context.
type under struct {
	Graph
	ctx context.Context
}

// rowsPerLook is how many lists are read between two looks at the context.
const rowsPerLook = 256

// EachKeyed is that of the graph, ended by the error of the context.
func (u under) EachKeyed(fn func(row store.Row, neighbors []uint32, keys []float32) error) error {
	return u.Graph.EachKeyed(func(row store.Row, neighbors []uint32, keys []float32) error {
		if row%rowsPerLook == 0 {
			if err := u.ctx.Err(); err != nil {
				return err
			}
		}
		return fn(row, neighbors, keys)
	})
}
