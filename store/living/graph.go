package living

import (
	"runtime"
	"strconv"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/tail"
	"github.com/knng/knng/vectors"
)

// A Graph is the lists of all live rows of a view, as packages export and analysis read graphs. Its
// rows count from 0 without gaps, in the order of the view's rows: Number tells which row of the view
// one is. It takes 8 bytes a row, and is valid while the view is open.
type Graph struct {
	v    *View
	rows *Source
	info store.Info
}

// Graph is the lists of all live rows. Errors: ErrCorrupt.
func (v *View) Graph() (*Graph, error) {
	g := &Graph{v: v, rows: v.Source()}
	g.rows.index.Do(g.rows.makeIndex)
	g.info.Distance = v.st.metric.String()
	var failed error
	for id := range g.rows.Names(&failed) {
		if id != "" {
			g.info.IDs = true
			break
		}
	}
	return g, failed
}

// Len is the number of live rows.
func (g *Graph) Len() int { return g.rows.Len() }

// K is how many neighbors a list has.
func (g *Graph) K() int { return max(0, min(g.v.st.k, g.Len()-1)) }

// Number is the number that the view has for a row.
func (g *Graph) Number(row store.Row) store.Row { return g.v.st.rowOf(g.ref(int(row))) }

// ref is where a row lies.
func (g *Graph) ref(i int) uint32 {
	p, at := g.rows.ref(i)
	if at != tail.NoRow {
		return g.v.st.positions() + at
	}
	return p
}

// ID is the id of a row or, where it has none, its number in the view. Errors: ErrCorrupt.
func (g *Graph) ID(row store.Row) (string, error) {
	id, err := g.rows.id(int(row))
	if id == "" && err == nil {
		id = strconv.FormatUint(uint64(g.Number(row)), 10)
	}
	return id, err
}

// Info has the distance, and whether any row has an id; all else is zero.
func (g *Graph) Info() store.Info { return g.info }

// Shown is its argument: EachKeyed gives distances.
func (g *Graph) Shown(distance float32) float32 { return distance }

// graphChunk is how many lists are looked up before they are passed on: some take a search.
const graphChunk = 4096

// EachKeyed calls fn for every row in order, with its list by View.Neighbors, which is valid during the
// call: rows of the graph, and their distances in place of keys. All cores look lists up.
func (g *Graph) EachKeyed(fn func(row store.Row, neighbors []uint32, distances []float32) error) error {
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
			for i := first; i < end; i++ {
				list, err := g.v.Neighbors(g.Number(store.Row(from+i)), nil)
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
