package living

import (
	"context"
	"fmt"
	"runtime"
	"sort"
	"strconv"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/tail"
	"github.com/knng/knng/vectors"
)

// A Graph is the lists of all live rows of a view, in the form that packages export and analysis read. Its
// rows count from 0 without gaps, in the order of the view's rows; Number returns the view's row for one of
// its rows. It takes 4 bytes a live row, and 4 for every row on disk, and is valid while the view is open.
type Graph struct {
	v     *View
	ctx   context.Context
	rows  *Source
	info  store.Info
	named bool
}

// Graph returns the lists of all live rows. Errors: ErrCorrupt, ErrClosed.
func (v *View) Graph() (*Graph, error) {
	if !v.calls.Enter() {
		return nil, ErrClosed
	}
	defer v.calls.Leave()
	g := &Graph{v: v, ctx: context.Background(), rows: v.Source()}
	g.rows.index.Do(g.rows.makeIndex)
	g.info.Distance = v.st.metric.String()
	var failed error
	for id := range g.rows.Names(&failed) {
		if id != "" {
			g.named = true
			break
		}
	}
	g.info.IDs = g.named || g.Renumbered()
	return g, failed
}

// Named reports whether any row has an id.
func (g *Graph) Named() bool { return g.named }

// Renumbered reports whether any row has another number in the view.
func (g *Graph) Renumbered() bool {
	last := store.Row(g.Len() - 1)
	return g.Len() > 0 && g.Number(last) != last // they ascend
}

// Under returns the same graph, with passes that end with ctx.
func (g *Graph) Under(ctx context.Context) *Graph {
	under := *g
	under.ctx = ctx
	return &under
}

// Len returns the number of live rows.
func (g *Graph) Len() int { return g.rows.Len() }

// K returns the number of neighbors of a list.
func (g *Graph) K() int { return max(0, min(g.v.st.k, g.Len()-1)) }

// Number returns the view's number of a row of the graph. The row must be below Len; otherwise it panics.
func (g *Graph) Number(row store.Row) store.Row { return g.rows.Row(int(row)) }

// ID returns the id of a row or, if it has none, its number in the view, which may also be the id of another
// row. Errors: ErrNoRow, ErrCorrupt.
func (g *Graph) ID(row store.Row) (string, error) {
	if err := g.has(row); err != nil {
		return "", err
	}
	id, err := g.rows.id(int(row))
	if id == "" && err == nil {
		id = strconv.FormatUint(uint64(g.Number(row)), 10)
	}
	return id, err
}

// has returns nil for a row of the graph.
func (g *Graph) has(row store.Row) error {
	if uint64(row) >= uint64(g.Len()) {
		return fmt.Errorf("%w: %d, the graph has %d rows, from 0", ErrNoRow, row, g.Len())
	}
	return nil
}

// RowOf returns the row of the graph with an id. Errors: ErrNoID, ErrCorrupt.
func (g *Graph) RowOf(id string) (store.Row, error) {
	row, err := g.v.RowOf(id)
	if err != nil {
		return 0, err
	}
	return g.rowAt(row), nil
}

// rowAt returns the row of the graph with a number in the view. Numbers ascend.
func (g *Graph) rowAt(number store.Row) store.Row {
	return store.Row(sort.Search(g.Len(), func(i int) bool { return g.rows.Row(i) >= number }))
}

// Neighbors appends the list of a row to buf[:0], from View.Neighbors, as rows of the graph. Errors: those of
// View.Neighbors.
func (g *Graph) Neighbors(row store.Row, buf []store.Neighbor) ([]store.Neighbor, error) {
	if err := g.has(row); err != nil {
		return nil, err
	}
	list, err := g.v.Neighbors(g.Number(row), nil)
	buf = buf[:0]
	for _, n := range list {
		buf = append(buf, store.Neighbor{Row: g.rowAt(n.Row), Distance: n.Distance})
	}
	return buf, err
}

// Info returns the distance, and whether any row has an id or another number than in the view; all else is
// zero.
func (g *Graph) Info() store.Info { return g.info }

// Shown returns its argument, since EachKeyed gives distances.
func (g *Graph) Shown(distance float32) float32 { return distance }

// graphChunk is the number of lists that are looked up before they are passed on: some need a search.
const graphChunk = 1024

// EachKeyed calls fn for every row in order, with its list from View.Neighbors, valid during the call: rows
// of the graph, and distances instead of keys. All cores look up lists. Rows that are not in the graph yet
// are compared with each row, and lists that deletes made short are completed by a search, so a pass takes
// far longer than one over a built graph.
func (g *Graph) EachKeyed(fn func(row store.Row, neighbors []uint32, distances []float32) error) error {
	if !g.v.calls.Enter() {
		return ErrClosed
	}
	defer g.v.calls.Leave()
	lists := make([][]store.Neighbor, min(graphChunk, g.Len()))
	var near []uint32
	var distances []float32
	for from := 0; from < g.Len(); from += len(lists) {
		lists = lists[:min(len(lists), g.Len()-from)]
		if err := g.look(from, lists); err != nil {
			return err
		}
		for i, list := range lists {
			near, distances = near[:0], distances[:0]
			for _, n := range list {
				near, distances = append(near, uint32(n.Row)), append(distances, n.Distance)
			}
			if err := fn(store.Row(from+i), near, distances); err != nil {
				return err
			}
		}
	}
	return nil
}

// look looks up the lists of the rows from one on.
func (g *Graph) look(from int, lists [][]store.Neighbor) error {
	return vectors.Ranges(runtime.GOMAXPROCS(0), len(lists), 64, func() func(from, to int) error {
		return func(first, end int) error {
			if err := g.ctx.Err(); err != nil {
				return err
			}
			for i := first; i < end; i++ {
				list, err := g.v.neighbors(g.Number(store.Row(from+i)), new(NeighborsOptions))
				if err != nil {
					return err
				}
				for j := range list {
					if list[j].Row, err = g.index(list[j].Row); err != nil {
						return err
					}
				}
				lists[i] = list
			}
			return nil
		}
	})
}

// index returns the row of the graph with a number in the view.
func (g *Graph) index(number store.Row) (store.Row, error) {
	p, at, err := g.v.st.locate(g.v.snap, uint64(number))
	if err != nil {
		return 0, err
	}
	if at != tail.NoRow {
		p = g.v.st.positions() + at
	}
	if g.rows.at == nil {
		return store.Row(p), nil
	}
	return store.Row(g.rows.at[p]), nil
}
