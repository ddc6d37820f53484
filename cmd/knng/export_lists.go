package main

import (
	"context"

	"github.com/knng/knng/cmd/knng/internal/parquet"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

// openLists are the lists of a graph for an export, watched: of one as it was built, or of the live
// rows of one that was written to since.
type openLists struct {
	parquet.Graph
	watch
	each func(listFunc) error
	live *living.Graph // nil for a graph as it was built
	shut func() error
}

// openLists opens them.
func (g *globals) openLists(ctx context.Context, dir string) (*openLists, error) {
	x := &openLists{watch: watch{ctx: ctx, to: g.phases(), phase: "export"}}
	if !living.Is(dir) {
		s, err := store.Open(dir, nil)
		if err != nil {
			return nil, err
		}
		x.Graph, x.each, x.shut = s, s.Under(ctx).EachKeyed, s.Close
		return x, nil
	}
	v, err := living.OpenReader(dir, nil)
	if err != nil {
		return nil, err
	}
	if x.live, err = v.Graph(); err != nil {
		v.Close()
		return nil, err
	}
	x.Graph, x.each, x.shut = x.live, x.live.EachKeyed, v.Close
	return x, nil
}

// EachKeyed is that of the graph, watched.
func (x *openLists) EachKeyed(fn func(store.Row, []uint32, []float32) error) error {
	return x.pass(x.Len(), x.each, fn)
}

// Close closes the graph.
func (x *openLists) Close() error { return x.shut() }

// renumbers reports whether rows have other numbers than those that the graph knows them by.
func (x *openLists) renumbers() bool {
	last := store.Row(x.Len() - 1)
	return x.live != nil && x.Len() > 0 && x.live.Number(last) != last
}

// renumbered are the lists of a graph that has other numbers for rows.
type renumbered struct{ *openLists }

// Number is that of a row in the graph.
func (x renumbered) Number(row store.Row) store.Row { return x.live.Number(row) }
