package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

const demoHelp = `Build the graph of the functions and methods of the Go standard library, each as
a vector of hashed TF-IDF weights of the words in its name, comment and code. Then
show functions beside their nearest neighbors. The second time the graph is there
and is shown at once.

The functions are read from the Go tree of this machine. Where there is none, the
demo takes a sample of 1,120 functions that this program carries.

  knng demo                                       # some well-known functions
  knng demo strings.Fields net/http.Get           # these functions
  knng demo 'strings.(*Builder).WriteString' -k 20
  knng demo --packages strings,bytes,unicode/...  # of a few packages only
  knng demo --sample                              # of the sample

A function that is written anew for several systems has the name of its file:
'os.hostname (sys_plan9.go)'; os.hostname alone shows all of them.`

// demoK is how many neighbors a person can judge at a glance.
const demoK = 10

type demoFlags struct {
	dir      string
	packages []string
	sample   bool
	opts     builder.Options
}

func newDemoCommand(g *globals) *cobra.Command {
	d := new(demoFlags)
	c := &cobra.Command{
		Use: "demo [NAME...]", Short: "Build and show the graph of the Go standard library's functions", Long: demoHelp,
		RunE: func(c *cobra.Command, names []string) error {
			if err := d.complete(c); err != nil {
				return usageError{err}
			}
			return d.run(c.Context(), g, names)
		},
	}
	f := c.Flags()
	f.StringVar(&d.dir, "dir", "", "folder for vectors and graph (default knng/demo in the user's cache folder)")
	f.StringSliceVar(&d.packages, "packages", nil, "only these packages, by import path; net/... is net and all below it (default all)")
	f.BoolVar(&d.sample, "sample", false, "take the functions that this program carries, not those of the machine's Go tree")
	f.IntVarP(&d.opts.K, "k", "k", demoK, "neighbors of a function")
	f.IntVar(&d.opts.Threads, "threads", 0, "threads (default all cores)")
	return c
}

func (d *demoFlags) complete(c *cobra.Command) error {
	d.opts.Metric = distance.Cosine
	if d.sample && len(d.packages) > 0 {
		return errSampleOfPackages
	}
	if d.opts.K < 1 { // 0 would be the builder's default
		return fmt.Errorf("-k is %d, want 1 or more", d.opts.K)
	}
	return byFlags(c, d.opts.Validate())
}

// A demo is a finished graph, built now or found.
type demo struct {
	folder  demoFolder
	flags   string   // those that lead to this demo again
	ids     []string // of the rows, in order
	result  *builder.Result
	already bool // finished by an earlier run
}

func (d *demoFlags) run(ctx context.Context, g *globals, names []string) error {
	in, err := d.input(ctx, g)
	if err != nil {
		return err
	}
	if in.sample == nil && len(d.packages) == 0 {
		// All pairs of the whole library could be compared as well; the demo shows the
		// method of larger inputs.
		d.opts.Method = builder.Balls
	}
	folder, err := d.folder(in)
	if err != nil {
		return err
	}
	if !exists(folder.vectors()) {
		if err := d.write(ctx, g, in, folder); err != nil {
			return err
		}
	}
	ids, err := folder.readIDs()
	if err != nil {
		return err
	}
	rows, err := find(ids, names) // a wrong name should not cost a build
	if err != nil {
		return err
	}
	result, already, err := d.build(ctx, g, folder)
	if err != nil {
		return err
	}
	if err := (&demo{folder: folder, flags: d.again(), ids: ids, result: result, already: already}).show(g, rows); err != nil {
		return err
	}
	return result.Err()
}

// again is the flags that were given, as they would be typed again.
func (d *demoFlags) again() (flags string) {
	if d.dir != "" {
		flags += " --dir " + quoted(d.dir)
	}
	if d.sample {
		flags += " --sample"
	}
	if len(d.packages) > 0 {
		flags += " --packages " + quoted(strings.Join(d.packages, ","))
	}
	if d.opts.K != demoK {
		flags += fmt.Sprintf(" -k %d", d.opts.K)
	}
	return flags
}

// build builds the graph, continues an interrupted build, or finds that it was
// already finished.
func (d *demoFlags) build(ctx context.Context, g *globals, folder demoFolder) (result *builder.Result, already bool, err error) {
	in, err := vectors.Open([]string{folder.vectors()}, nil)
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	opts := d.opts
	opts.IDs, opts.Progress = folder.ids(), g.reporter()
	opts.Logger = g.log
	result, err = builder.Build(ctx, folder.graph(), in, opts)
	if errors.Is(err, store.ErrFinished) {
		return result, true, nil
	}
	return result, false, g.stopped(err)
}
