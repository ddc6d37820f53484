package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store/living"
)

// A writing is what commands that write to a graph have in common: they compact it where they
// are asked to and that pays.
type writing struct {
	compact   bool
	compacted bool  // it was
	short     error // of the graph that was compacted last: it is below its recall
	rebuildFlags
}

func (f *writing) bind(c *cobra.Command) {
	f.rebuildFlags.bind(c)
	c.Flags().BoolVar(&f.compact, "compact", false, "compact the graph at the end, where that pays (knng info tells)")
}

// settle compacts where that pays. Everything is written by then: where the compaction does not
// end, knng compact ends it, and not the same command. The error may be that of a graph below
// its recall.
func (f *writing) settle(ctx context.Context, g *globals, dir string, db *living.DB, o rebuild.Options) error {
	if !f.compact {
		return f.short
	}
	v, err := db.View()
	if err != nil {
		return err
	}
	due := v.State().Due
	v.Close()
	if !due {
		return f.short
	}
	if err := f.rebuild(ctx, db, o); err != nil {
		g.behindBar("all rows are written, and the graph is not compacted: do not give this command again, but knng compact " + operand(dir))
		return err
	}
	if !g.quiet && !g.json {
		fmt.Fprintf(g.stdout, "%s: compacted\n", dir)
	}
	return f.short
}

// tell prints the counts as JSON, where that is asked for, also where the compaction failed.
func (f *writing) tell(g *globals, written any, settled error) error {
	if !g.json {
		return settled
	}
	if err := g.printJSON(written); err != nil && settled == nil {
		return err
	}
	return settled
}

// rebuild compacts; a graph below its recall is no error yet.
func (f *writing) rebuild(ctx context.Context, db *living.DB, o rebuild.Options) error {
	f.short = nil
	err := rebuild.Compact(ctx, db, o)
	if errors.Is(err, builder.ErrBelowTarget) {
		f.short, err = err, nil
	}
	f.compacted = f.compacted || err == nil
	return err
}
