package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/refine"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// graph is one row of the table.
type graph struct {
	name   string     // in the table, where a G2 stands below its G1
	full   string     // in the curves
	base   int        // the graph that it was refined from, or -1
	lists  [][]uint32 // nearest first
	recall float64    // of the exact lists, where it approximates them
}

// maker makes the graphs of one set of rows, or goes on where it was
// interrupted.
type maker struct {
	*config
	dir string
	in  *vectors.Input
	log io.Writer
}

// graphs makes G0, then each G1 with the G2s that are refined from it.
func (m *maker) graphs(ctx context.Context) ([]*graph, error) {
	exact, err := m.build(ctx, "G0", builder.Options{Method: builder.Exact})
	if err != nil {
		return nil, err
	}
	exact.name, exact.full, exact.recall = "G0, exact", "G0", 1
	list := []*graph{exact}
	for _, r := range m.recalls {
		name := fmt.Sprintf("G1-%v", r)
		// Auto would compare all pairs of so few rows.
		g, err := m.build(ctx, name, builder.Options{Method: builder.Balls, Recall: r})
		if err != nil {
			return nil, err
		}
		g.name, g.full, g.recall = fmt.Sprintf("G1, built for recall %v", r), fmt.Sprintf("G1 for recall %v", r), shareOf(g.lists, exact.lists)
		base := len(list)
		list = append(list, g)
		for _, ranks := range m.ranks {
			g, err := m.refine(ctx, name, ranks)
			if err != nil {
				return nil, err
			}
			g.name, g.full, g.base = fmt.Sprintf("G2 of it, rank-order over lists of %d", ranks), fmt.Sprintf("G2 of %s, lists of %d", list[base].full, ranks), base
			list = append(list, g)
		}
	}
	return list, nil
}

func (m *maker) build(ctx context.Context, name string, o builder.Options) (*graph, error) {
	o.K, o.Seed, o.Threads = m.k, m.seed, m.threads
	dir := filepath.Join(m.dir, name)
	res, err := builder.Build(ctx, dir, m.in, o)
	if err != nil && !errors.Is(err, store.ErrFinished) {
		return nil, err
	}
	fmt.Fprintf(m.log, "%s: %d rows, k %d, %.1f s\n", dir, res.Rows, res.K, res.Seconds)
	return read(dir)
}

func (m *maker) refine(ctx context.Context, from string, ranks int) (*graph, error) {
	g1, err := store.Open(filepath.Join(m.dir, from), nil)
	if err != nil {
		return nil, err
	}
	defer g1.Close()
	dir := filepath.Join(m.dir, fmt.Sprintf("%s-G2-%d", from, ranks))
	res, err := refine.Refine(ctx, dir, g1, refine.Options{Distance: refine.RankOrder(min(ranks, g1.K())), Threads: m.threads})
	if err != nil && !errors.Is(err, store.ErrFinished) {
		return nil, err
	}
	fmt.Fprintf(m.log, "%s: %d rows, k %d, %.1f s\n", dir, res.Rows, res.K, res.Seconds)
	return read(dir)
}

// read brings the lists of a finished graph into memory.
func read(dir string) (*graph, error) {
	s, err := store.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	g := &graph{base: -1, lists: make([][]uint32, 0, s.Len())}
	err = s.EachKeyed(func(_ store.Row, neighbors []uint32, _ []float32) error {
		g.lists = append(g.lists, append([]uint32(nil), neighbors...))
		return nil
	})
	return g, err
}

// shareOf is the share of the exact lists' entries that lists have as well: the
// recall over all rows.
func shareOf(lists, exact [][]uint32) float64 {
	found, all := 0, 0
	for row, list := range exact {
		in := map[uint32]bool{}
		for _, x := range lists[row] {
			in[x] = true
		}
		for _, x := range list {
			if in[x] {
				found++
			}
		}
		all += len(list)
	}
	return float64(found) / float64(max(all, 1))
}
