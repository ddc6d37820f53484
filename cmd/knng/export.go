package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/export"
)

const exportHelp = `Write a finished graph in the format of another tool, rows in input order.

  knng export photos.knng -o graph.npz --format npz                     # SciPy, scikit-learn, scanpy
  knng export photos.knng -o umap --format npy --self                   # UMAP's precomputed_knn
  knng export photos.knng -o graph.npz --format npz --symmetric union
  knng export photos.knng -o graph.gt --format gt

Formats: npy (directory of indices.npy and distances.npy), npz (SciPy CSR), gt
(u32 n, u32 k, n*k int32 rows, n*k float32 keys), ibin (with a .fbin of
distances beside it), ivecs, csv (row,rank,neighbor,distance), ids (the external
id of every row, a line each). Without --format the
extension of PATH tells which, and none of these means npz.`

type exportFlags struct {
	out    string
	memory string
	opts   export.Options
}

func newExport(g *globals) *cobra.Command {
	e := new(exportFlags)
	c := &cobra.Command{
		Use: "export DIR -o PATH", Short: "Write a graph as npy, npz, gt, ibin, ivecs, csv or ids", Long: exportHelp,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error { return e.run(c.Context(), g, a[0]) },
	}
	f := c.Flags()
	f.StringVarP(&e.out, "output", "o", "", "file or directory to write")
	f.StringVar((*string)(&e.opts.Format), "format", "", "npy, npz, gt, ibin, ivecs, csv or ids (default PATH's extension, or npz)")
	f.BoolVar(&e.opts.Self, "self", false, "put the row itself first, at distance 0")
	f.StringVar((*string)(&e.opts.Symmetric), "symmetric", "", "npz and csv: union (either lists the other) or mutual (each does)")
	f.StringVar(&e.memory, "memory", "", "with --symmetric: memory for entries; the fewer fit, the more passes (default half of what the machine or its cgroup offers)")
	f.BoolVar(&e.opts.Force, "force", false, "overwrite")
	requireOutput(c)
	return c
}

func (e *exportFlags) run(ctx context.Context, g *globals, dir string) error {
	if e.opts.Format == "" {
		e.opts.Format = formatOf(e.out)
	}
	var err error
	if e.opts.Memory, err = parseSize(e.memory); err == nil {
		err = e.opts.Validate()
	}
	if err != nil {
		return usageError{err}
	}
	e.opts.Memory = cmp.Or(e.opts.Memory, builder.DefaultMemory())
	if err := apart(dir, e.out); err != nil {
		return err
	}
	s, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := export.Export((&watched{Store: s, ctx: ctx, to: g.phases()}).begin("export"), e.out, e.opts); err != nil {
		if errors.Is(err, fs.ErrExist) && !e.opts.Force {
			err = fmt.Errorf("%w (--force overwrites it)", err)
		}
		return err
	}
	if g.json {
		return g.printJSON(map[string]any{"path": e.out, "format": e.opts.Format, "rows": s.Len(), "k": s.K()})
	}
	if !g.quiet {
		fmt.Fprintf(g.stdout, "%s: %d rows, k=%d, %s\n", e.out, s.Len(), s.K(), e.opts.Format)
	}
	return nil
}

// apart refuses an output in the store that it is made from.
func apart(dir, out string) error {
	if store.Holds(dir, out) {
		return usageError{fmt.Errorf("%s lies in the store %s, which is sealed as a whole: want another place", out, dir)}
	}
	return nil
}

// formatOf is the format that a path asks for by its extension.
func formatOf(path string) export.Format {
	format := export.Format(strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."))
	switch format {
	case export.NPY, export.GT, export.IBin, export.IVecs, export.CSV, export.IDs:
		return format
	}
	return export.NPZ
}
