package main

import (
	"context"

	"github.com/knng/knng/cmd/knng/internal/parquet"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

// lists are those of a graph as it was built, or of its live rows, watched.
type lists interface {
	parquet.Graph
	begin(phase string) // names the purpose of the next passes
	Close() error
}

// begun is lists that are about to be passed over.
func begun(x lists, phase string) lists {
	x.begin(phase)
	return x
}

// openLists opens the lists of a graph: of one that was written to since it was built, those of its live rows.
func (g *globals) openLists(ctx context.Context, dir string) (lists, error) {
	if !living.Is(dir) {
		s, err := store.Open(dir, nil)
		if err != nil {
			return nil, err
		}
		return &watched{s, watch{ctx: ctx, to: g.phases()}}, nil
	}
	v, err := g.openLivingSearch(ctx, dir, 0, false)
	if err != nil {
		return nil, err
	}
	l, err := v.Graph()
	if err != nil {
		v.Close()
		return nil, err
	}
	return &liveLists{l.Under(ctx), watch{ctx: ctx, to: g.phases()}, v}, nil
}

// liveLists are those of the live rows of a graph that was written to, watched.
type liveLists struct {
	*living.Graph
	watch
	view *living.View
}

// EachKeyed is that of the graph, watched.
func (l *liveLists) EachKeyed(fn listFunc) error { return l.pass(l.Len(), l.Graph.EachKeyed, fn) }

// Close closes the view.
func (l *liveLists) Close() error { return l.view.Close() }
