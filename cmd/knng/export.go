package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/export"
	"github.com/knng/knng/store/living"
)

var exportHelp = `Write a finished graph in the format of another tool, rows in input order.

  knng export photos.knng -o graph.npz --for sklearn
  knng export photos.knng -o umap --for umap
  knng export photos.knng -o graph.gexf --for gephi
  knng export photos.knng -o graph.npz --format npz --symmetric union
  knng export photos.knng -o graph.gt

Some libraries expect the row itself in its list, others do not, and none says so when
the list is wrong. --for sets the flags that each needs:

` + libraryTable() + `
Of a graph that was written to since it was built (knng append, delete) the live rows are
exported, counted from 0; rows that have no id are called by their numbers.

Formats:
  npy       a directory of indices.npy and distances.npy, and of rows.npy, the numbers of
            the rows, where the graph was written to since it was built
  npz       SciPy CSR
  gt        u32 n, u32 k, n*k int32 rows, n*k float32 keys
  ibin      u32 n, u32 k, n*k int32 rows, with a .fbin of distances beside it
  ivecs     before each list its length as int32
  csv       row,rank,neighbor,distance, and id,neighbor_id where the graph has ids
  ids       the external id of every row, a line each
  parquet   columns row, id where the graph has ids, and neighbors, a struct of ids and
            distances, which Embedding Atlas takes by --neighbors neighbors
  graphml   nodes labelled by their ids, edges with an attribute distance
  gexf      the same, for Gephi
  edgelist  lines of row, neighbor and distance
  metis     neighbors of each row from 1, without weights; with --symmetric
Without --format and --for the extension of PATH tells which.`

type exportFlags struct {
	out     string
	library string
	memory  string
	use     string // the library's call
	opts    export.Options
}

func newExport(g *globals) *cobra.Command {
	e := new(exportFlags)
	c := &cobra.Command{
		Use: "export DIR -o PATH", Short: "Write a graph in the format of another tool", Long: exportHelp,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error { return e.run(c, g, a[0]) },
	}
	f := c.Flags()
	f.StringVarP(&e.out, "output", "o", "", "file or directory to write")
	f.StringVar((*string)(&e.opts.Format), "format", "", formatNames()+" (default PATH's extension)")
	f.StringVar(&e.library, "for", "", "the library to write for: "+libraryNames())
	f.BoolVar(&e.opts.Self, "self", false, "put the row itself first in its list, at distance 0; not under ip")
	f.StringVar((*string)(&e.opts.Symmetric), "symmetric", "", "in npz, csv and formats of nodes and edges: union, the pairs of which one lists the other, or mutual, of which each does (default the lists)")
	f.StringVar(&e.memory, "memory", "", "with --symmetric: memory for pairs, such as 512MiB; less takes more passes (default half of the machine's or its cgroup's)")
	f.BoolVar(&e.opts.Force, "force", false, "overwrite PATH, a file or a folder")
	requireOutput(c)
	return c
}

// complete settles the format and the parts of the output, from the flags and the name of the output.
func (e *exportFlags) complete(c *cobra.Command) (err error) {
	if e.out == "-" {
		return errors.New("--output is -, want the name of a file: exports are not written to stdout")
	}
	if e.library != "" {
		err = e.suit(c)
	} else if e.opts.Format == "" {
		var known bool
		if e.opts.Format, known = formatOf(e.out); !known {
			return fmt.Errorf("the extension of %s names no format: want --format, --for, or one of %s", e.out, "."+strings.ReplaceAll(formatNames(), ", ", " ."))
		}
	}
	if err != nil {
		return err
	}
	if e.opts.Memory, err = parseSize(e.memory); err != nil {
		return err
	}
	if e.opts.Format == tableFormat {
		if e.opts.Self || e.opts.Symmetric != "" {
			return errors.New("--self and --symmetric do not go with parquet: it holds the lists as they are")
		}
		return nil
	}
	if e.opts.Format == export.METIS && e.opts.Symmetric == "" {
		return errors.New("metis holds undirected graphs only: give --symmetric union or mutual, or --for metis")
	}
	if !slices.Contains(exportFormats, e.opts.Format) {
		return fmt.Errorf("--format is %q, want %s", e.opts.Format, formatNames())
	}
	return e.opts.Validate()
}

func (e *exportFlags) run(c *cobra.Command, g *globals, dir string) error {
	if err := e.complete(c); err != nil {
		return usageError{err}
	}
	ctx := c.Context()
	e.opts.Memory = cmp.Or(e.opts.Memory, builder.DefaultMemory())
	if state, _ := store.StateOf(e.out); state == store.Finished || state == store.Unfinished || living.Is(e.out) {
		return usageError{fmt.Errorf("%s is a graph, which an export would damage: want another place", e.out)}
	}
	x, err := g.openLists(ctx, dir)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := e.write(ctx, begun(x, "export")); err != nil {
		return err
	}
	return e.show(g, dir, x)
}

// write writes the file.
func (e *exportFlags) write(ctx context.Context, x lists) (err error) {
	if e.opts.Format == tableFormat {
		err = e.table(ctx, x)
	} else {
		err = export.Export(x, e.out, e.opts)
	}
	if errors.Is(err, fs.ErrExist) && !errors.Is(err, export.ErrPlace) && !e.opts.Force {
		err = fmt.Errorf("%w (--force overwrites it)", err)
	}
	if errors.Is(err, export.ErrSelf) || errors.Is(err, export.ErrKeys) || errors.Is(err, export.ErrPlace) || errors.Is(err, fs.ErrExist) {
		err = usageError{err}
	}
	return err
}

// show tells of the file.
func (e *exportFlags) show(g *globals, dir string, x lists) error {
	live, written := x.(*liveLists)
	if g.json {
		about := map[string]any{"path": e.out, "format": e.opts.Format, "rows": x.Len(), "k": x.K()}
		if written {
			about["ops"], about["ids"], about["renumbered"] = live.view.State().Ops, live.Named(), live.Renumbered()
		}
		if e.use != "" {
			about["use"] = e.useOf(x.K())
		}
		if scale := e.scale(x); scale != 0 {
			about["scale"] = scale
		}
		return g.printJSON(about)
	}
	if g.quiet {
		return nil
	}
	fmt.Fprintf(g.stdout, "%s: %d rows, k=%d, %s\n", e.out, x.Len(), x.K(), e.opts.Format)
	if written && live.Renumbered() && e.opts.Format != export.IDs {
		tellRenumbered(g.stdout, dir)
	}
	if scale := e.scale(x); scale != 0 {
		fmt.Fprintf(g.stdout, "keys       are of rows multiplied by 2^%d, as the graph compared them; ibin and npy hold distances of the rows as given\n", scale)
	}
	if e.use != "" {
		fmt.Fprintf(g.stdout, "use        %s\n", e.useOf(x.K()))
	}
	return nil
}

// scale is the exponent of the power of two by which rows were multiplied whose keys are exported; 0 where they were not.
func (e *exportFlags) scale(x lists) int {
	w, ok := x.(*watched)
	if !ok || e.opts.Format != export.GT {
		return 0
	}
	manifest := w.Info().Manifest
	return manifest.Scale()
}

// tellRenumbered tells how rows are counted where some are gone.
func tellRenumbered(out io.Writer, dir string) {
	fmt.Fprintf(out, "rows       count from 0, without those that are gone: knng export %s -o rows.ids writes the id of each, or its number\n", operand(dir))
}

// tableFormat comes after those of package export.
var exportFormats = append(slices.Clone(export.Formats), tableFormat)

// formatNames lists the formats.
func formatNames() string {
	var names []string
	for _, f := range exportFormats {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// formatOf is the format that a path names by its extension, if any.
func formatOf(path string) (format export.Format, known bool) {
	format = export.Format(strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."))
	if slices.Contains(exportFormats, format) {
		return format, true
	}
	return "", false
}
