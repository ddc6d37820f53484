package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/cmd/knng/internal/gofuncs"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

const demoHelp = `Build the graph of input that every machine with Go has: the functions and
methods of the Go standard library, each as a vector of hashed TF-IDF weights of
the words in its name, comment and code. Then show functions beside their
nearest neighbors. The second time the graph is there and is shown at once.

  knng demo                                       # some well-known functions
  knng demo strings.Fields net/http.Get           # these functions
  knng demo 'strings.(*Builder).WriteString' -k 20
  knng demo --packages strings,bytes,unicode/...  # of a few packages only

A function that is written anew for several systems has the name of its file:
'os.hostname (sys_plan9.go)'; os.hostname alone shows all of them.`

// demoK is how many neighbors a person can judge at a glance.
const demoK = 10

type demoFlags struct {
	dir      string
	packages []string
	opts     builder.Options
}

func newDemoCommand(g *globals) *cobra.Command {
	d := new(demoFlags)
	c := &cobra.Command{
		Use: "demo [NAME...]", Short: "Build and show the graph of the Go standard library's functions", Long: demoHelp,
		RunE: func(c *cobra.Command, names []string) error {
			if err := d.complete(); err != nil {
				return usageError{err}
			}
			return d.run(c.Context(), g, names)
		},
	}
	f := c.Flags()
	f.StringVar(&d.dir, "dir", "", "folder for vectors and graph (default knng/demo in the user's cache folder)")
	f.StringSliceVar(&d.packages, "packages", nil, "only these packages, by import path; net/... is net and all below it")
	f.IntVarP(&d.opts.K, "k", "k", demoK, "neighbors of a function")
	f.IntVar(&d.opts.Threads, "threads", 0, "threads (default GOMAXPROCS)")
	return c
}

func (d *demoFlags) complete() error {
	d.opts.Metric = distance.Cosine
	if len(d.packages) == 0 {
		// So many functions could just as well be compared with all others; the
		// demo shows what larger inputs get.
		d.opts.Method = builder.Balls
	}
	if d.opts.K < 1 { // 0 would be the builder's default
		return fmt.Errorf("-k is %d, want 1 or more", d.opts.K)
	}
	return d.opts.Validate()
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
	root, err := gofuncs.FindRoot(ctx)
	if err != nil {
		return err
	}
	folder, err := d.folder(root)
	if err != nil {
		return err
	}
	if !exists(folder.vectors()) {
		if err := d.write(ctx, g, root, folder); err != nil {
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
	if len(d.packages) > 0 {
		flags += " --packages " + quoted(strings.Join(d.packages, ","))
	}
	if d.opts.K != demoK {
		flags += fmt.Sprintf(" -k %d", d.opts.K)
	}
	return flags
}

// write reads the library and writes its vectors.
func (d *demoFlags) write(ctx context.Context, g *globals, root gofuncs.Root, folder demoFolder) error {
	began := time.Now()
	functions, err := gofuncs.Read(ctx, root.Dir, gofuncs.Options{Packages: d.packages, Threads: d.opts.Threads})
	if err != nil {
		return err
	}
	if err := folder.write(functions, gofuncs.Vectors(functions, gofuncs.Dim, d.opts.Threads)); err != nil {
		return err
	}
	if report := g.reporter(); report != nil {
		report(builder.Event{Phase: "functions", Done: int64(len(functions)), Total: int64(len(functions)), Unit: "functions", Elapsed: time.Since(began), End: true,
			Message: fmt.Sprintf("%d functions of %s in %s, %d elements each", len(functions), root.Version, root.Dir, gofuncs.Dim)})
	}
	return nil
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
