package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
)

const compactHelp = `Build the graph anew from all live rows, while others read it. Append and delete end with exit
code 5 meanwhile; a Go program can write while it compacts (package store/living). Rows keep
their numbers and ids; deleted rows leave the disk. Interrupt it as you like; the same command
continues.

  knng compact photos.knng
  knng compact photos.knng --recall 0.99     # a better graph, also where nothing was written

It takes as long as knng build of the same rows with the same recall, however few rows were
written. With --recall it begins from the lists that are there, and takes about two thirds of that.`

// rebuildFlags are flags of commands that build a graph of rows that are in one.
type rebuildFlags struct {
	recall  float64
	threads int
	memory  string
}

func (f *rebuildFlags) bind(c *cobra.Command) {
	c.Flags().IntVar(&f.threads, "threads", 0, "threads (default all cores)")
	c.Flags().StringVar(&f.memory, "memory", "", "memory limit, such as 512MiB or 2G (default half of the machine's or its cgroup's)")
}

func (f *rebuildFlags) options(g *globals) (o rebuild.Options, err error) {
	if !(f.recall >= 0 && f.recall <= 1) {
		return o, fmt.Errorf("--recall is %v, want 0 to 1", f.recall)
	}
	if f.threads < 0 {
		return o, fmt.Errorf("--threads is %d, want 0 or more", f.threads)
	}
	o = rebuild.Options{Recall: f.recall, Threads: f.threads, Progress: g.reporter(), Logger: g.log}
	if o.Memory, err = parseSize(f.memory); err != nil {
		return o, err
	}
	builder.HoldHeap(cmp.Or(o.Memory, builder.DefaultMemory()))
	return o, nil
}

func newCompact(g *globals) *cobra.Command {
	f := new(rebuildFlags)
	c := &cobra.Command{
		Use: "compact DIR", Short: "Build a graph anew of the rows that live", Long: compactHelp,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error { return f.compact(c.Context(), g, a[0]) },
	}
	c.Flags().Float64Var(&f.recall, "recall", 0, "recall of the new graph, 0 to 1 (default that of the old one)")
	f.bind(c)
	return c
}

func (f *rebuildFlags) compact(ctx context.Context, g *globals, dir string) error {
	o, err := f.options(g)
	if err != nil {
		return usageError{err}
	}
	db, gone, err := openLiving(dir, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	err = rebuild.Compact(ctx, db, o)
	if err != nil && !errors.Is(err, builder.ErrBelowTarget) {
		return g.stopped(err)
	}
	g.tellIsolated(gone, dir)
	if g.quiet && !g.json {
		return err
	}
	v, failed := db.View()
	if failed != nil {
		return failed
	}
	defer v.Close()
	return errors.Join(err, showLiving(ctx, g, dir, v))
}
