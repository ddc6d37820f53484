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

// A Graph is the lists of all live rows of a view, as packages export and analysis read graphs. Its
// rows count from 0 without gaps, in the order of the view's rows: Number tells which row of the view
// one is. It takes 4 bytes a live row, and 4 for every row on the disk, and is valid while the view
// is open.
type Graph struct {
	v     *View
	ctx   context.Context
	rows  *Source
	info  store.Info
	named bool
}

// Graph is the lists of all live rows. Errors: ErrCorrupt, ErrClosed.
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

// Under is the same graph, whose passes end with ctx.
func (g *Graph) Under(ctx context.Context) *Graph {
	under := *g
	under.ctx = ctx
	return &under
}

// Len is the number of live rows.
func (g *Graph) Len() int { return g.rows.Len() }

// K is how many neighbors a list has.
func (g *Graph) K() int { return max(0, min(g.v.st.k, g.Len()-1)) }

// Number is the number that the view has for a row of the graph, which is below Len: it panics for others.
func (g *Graph) Number(row store.Row) store.Row { return g.rows.Row(int(row)) }

// ID is the id of a row or, where it has none, its number in the view, which another row may have as
// its id. Errors: ErrNoRow, ErrCorrupt.
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

// has is nil for a row of the graph.
func (g *Graph) has(row store.Row) error {
	if uint64(row) >= uint64(g.Len()) {
		return fmt.Errorf("%w: %d, the graph has %d rows, from 0", ErrNoRow, row, g.Len())
	}
	return nil
}

// RowOf is the row of the graph of an id. Errors: ErrNoID, ErrCorrupt.
func (g *Graph) RowOf(id string) (store.Row, error) {
	row, err := g.v.RowOf(id)
	if err != nil {
		return 0, err
	}
	return g.rowAt(row), nil
}

// rowAt is the row of the graph that has a number in the view. Numbers ascend.
func (g *Graph) rowAt(number store.Row) store.Row {
	return store.Row(sort.Search(g.Len(), func(i int) bool { return g.rows.Row(i) >= number }))
}

// Neighbors appends the list of a row, by View.Neighbors, to buf[:0]: rows of the graph. Errors: those of that.
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

// Info has the distance, and whether any row has an id or another number than in the view; all else is zero.
func (g *Graph) Info() store.Info { return g.info }

// Shown is its argument: EachKeyed gives distances.
func (g *Graph) Shown(distance float32) float32 { return distance }

// graphChunk is how many lists are looked up before they are passed on: some take a search.
const graphChunk = 1024

// EachKeyed calls fn for every row in order, with its list by View.Neighbors, which is valid during the
// call: rows of the graph, and their distances in place of keys. All cores look lists up. A row is compared
// with all that are in no graph yet, and one whose list came short by deletes is searched for, so that a pass
// takes far longer than one over a graph as it was built.
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

// look looks up the lists of rows from one on.
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

// index is the row of the graph that the view has a number for.
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
