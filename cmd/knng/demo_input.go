package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/cmd/knng/internal/gofuncs"
	"github.com/knng/knng/vectors"
)

// A demoInput is where a demo's functions come from: a Go tree, or the sample that this
// program carries.
type demoInput struct {
	root   gofuncs.Root
	sample *gofuncs.Sample // nil: the tree
}

// input finds the Go tree. Without one, or with --sample, it is the embedded sample.
func (d *demoFlags) input(ctx context.Context, g *globals) (demoInput, error) {
	if !d.sample {
		root, err := gofuncs.FindRoot(ctx)
		switch {
		case err == nil:
			return demoInput{root: root}, nil
		case ctx.Err() != nil || len(d.packages) > 0: // which only a tree has
			return demoInput{}, err
		}
		if !g.quiet && g.way() != "none" {
			g.log("no Go tree here, whose functions the demo reads: it shows a sample that knng carries")
		}
	}
	sample, err := gofuncs.Embedded()
	return demoInput{sample: sample}, err
}

// name tells one input from another in the name of a folder.
func (in demoInput) name() string {
	if in.sample != nil {
		return "sample-" + fileName(in.sample.Version)
	}
	return fileName(in.root.Version)
}

// write writes the vectors and ids of an input into the demo's folder.
func (d *demoFlags) write(ctx context.Context, g *globals, in demoInput, folder demoFolder) error {
	began := time.Now()
	said := func(n int, version, where string) {
		if report := g.reporter(); report != nil {
			report(builder.Event{Phase: "functions", Done: int64(n), Total: int64(n), Unit: "functions", Elapsed: time.Since(began), End: true,
				Message: fmt.Sprintf("%d functions of %s in %s, %d elements each", n, version, where, gofuncs.Dim)})
		}
	}
	if s := in.sample; s != nil {
		err := folder.write(vectors.Int8, func(w *vectors.Writer) error { return appendSample(w, s) })
		said(len(s.IDs), s.Version, "this program")
		return err
	}
	functions, err := gofuncs.Read(ctx, in.root.Dir, gofuncs.Options{Packages: d.packages, Threads: d.opts.Threads})
	if err != nil {
		return err
	}
	rows := gofuncs.Vectors(functions, gofuncs.Dim, d.opts.Threads)
	if err := folder.write(vectors.Float32, func(w *vectors.Writer) error { return appendFunctions(w, functions, rows) }); err != nil {
		return err
	}
	said(len(functions), in.root.Version, in.root.Dir)
	return nil
}

func appendSample(w *vectors.Writer, s *gofuncs.Sample) error {
	for i, id := range s.IDs {
		if err := w.Append(s.Row(i), id); err != nil {
			return err
		}
	}
	return nil
}

func appendFunctions(w *vectors.Writer, functions []gofuncs.Function, rows []float32) error {
	for i := range functions {
		if err := w.AppendFloat32(rows[i*gofuncs.Dim:(i+1)*gofuncs.Dim], functions[i].ID); err != nil {
			return err
		}
	}
	return nil
}

// errSampleOfPackages: the sample is one set of packages.
var errSampleOfPackages = errors.New("--sample and --packages: the sample has packages of its own, want one of the two")
