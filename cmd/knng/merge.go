package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
)

const mergeHelp = `Build one graph of the live rows of several graphs, which stay as they are. Rows get new
numbers, in the order of the graphs, and keep their ids: all rows have one, no two the same, or
none has. Interrupt it as you like; the same command continues.

  knng merge a.knng b.knng -o all.knng`

func newMerge(g *globals) *cobra.Command {
	f := new(rebuildFlags)
	var out string
	var k int
	c := &cobra.Command{
		Use: "merge A B... -o C", Short: "Build one graph of several", Long: mergeHelp,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, a []string) error { return f.merge(c.Context(), g, a, out, k) },
	}
	c.Flags().StringVarP(&out, "output", "o", "", "directory of the new graph")
	c.Flags().IntVarP(&k, "k", "k", 0, "neighbors of a row (default those of the first graph)")
	c.Flags().Float64Var(&f.recall, "recall", 0, "recall of the new graph, 0 to 1 (default that of the first)")
	f.bind(c)
	requireOutput(c)
	return c
}

func (f *rebuildFlags) merge(ctx context.Context, g *globals, from []string, out string, k int) error {
	o, err := f.options(g)
	if err == nil && (k < 0 || k > builder.MaxK) {
		err = fmt.Errorf("-k is %d, want 1 to %d", k, builder.MaxK)
	}
	if err != nil {
		return usageError{err}
	}
	defer leaveNothing(out)()
	result, err := rebuild.Merge(ctx, out, k, from, o)
	err = g.end(out, err, func() error {
		if g.json {
			return g.printJSON(flatten(result, out))
		}
		printResult(g, result, out)
		return nil
	})
	if err == nil {
		err = result.Err()
	}
	return err
}
