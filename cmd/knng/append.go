package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
)

const appendHelp = `Put rows into a finished graph. Searches and lists have them at once. Every query is compared
with the new rows until there are a thousand or more, which are then linked into the graph.

  knng append photos.knng more.npy --ids names.txt
  knng append photos.knng more.npy

After an interruption give the same command again.

With --ids a row replaces the one that has its id; a row that is there already, with the same
vector, is skipped. Rows are committed every 16 MiB. An id that stands twice is refused, and
nothing is put.

Without ids all rows are put, or none, up to 262,144 rows and 256 MiB. More are committed every
16 MiB; until all are put other rows are refused. The same command after an interruption puts none
twice, and goes on behind the last. Where rows of the graph have ids, rows without are known by
their numbers alone.

The command compacts the graph (knng help compact) where that takes less time than to link the
rows: where 262,144 rows were put since the last compaction, and where more rows wait to be linked
than half of the others. With --compact it also does so at the end, where that pays: where the rows
put since are more than a quarter of the graph, or the deleted ones more than an eighth, and more
than 4,096.

The first write to a graph removes its isolated rows (build --bad-rows isolate).`

type appendFlags struct {
	ids      string
	column   string
	idColumn string
	header   header
	writing
}

func newAppend(g *globals) *cobra.Command {
	f := new(appendFlags)
	c := &cobra.Command{
		Use: "append DIR ROWS...", Short: "Put rows into a graph", Long: appendHelp,
		Args: args(cobra.MinimumNArgs(2)),
		RunE: func(c *cobra.Command, a []string) error { return f.run(c.Context(), g, a[0], a[1:]) },
	}
	c.Flags().StringVar(&f.ids, "ids", "", "external ids, a UTF-8 line for each row")
	c.Flags().StringVar(&f.column, "column", "", columnUsage)
	c.Flags().StringVar(&f.idColumn, "id-column", "", idColumnUsage)
	f.header.bind(c.Flags())
	f.bind(c)
	return c
}

// open opens the rows, and reads their ids, nil where they have none.
func (f *appendFlags) open(ctx context.Context, g *globals, paths []string) (in *vectors.Input, ids []string, err error) {
	if f.ids != "" && f.idColumn != "" {
		return nil, nil, usageError{errors.New("--ids and --id-column both name the rows: give one of them")}
	}
	o, column := vectors.OpenOptions{Column: f.column, IDColumn: f.idColumn, Header: f.header.value}, new(bytes.Buffer)
	if f.idColumn != "" {
		o.IDs = column
	}
	if in, err = g.openInput(ctx, paths, o); err != nil {
		return nil, nil, err
	}
	name := f.ids
	if f.idColumn != "" {
		name = "the ids in column " + f.idColumn
		ids, err = idsIn(bytes.NewReader(column.Bytes()), name, in.Len())
	} else {
		ids, err = readLines(f.ids, in.Len())
	}
	if err == nil {
		err = distinct(ids, name)
	}
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	return in, ids, nil
}

// appended counts rows by their treatment.
type appended struct {
	Dir      string `json:"dir"`
	Put      int    `json:"put"`
	Replaced int    `json:"replaced"` // of these, rows whose id had another vector
	Same     int    `json:"same"`     // passed over
	Rows     int    `json:"rows"`     // live rows now
	Due      bool   `json:"due"`      // a compaction would pay, before that of --compact
	Done     bool   `json:"compacted"`
}

func (f *appendFlags) run(ctx context.Context, g *globals, dir string, paths []string) error {
	o, err := f.options(g)
	if err != nil {
		return usageError{err}
	}
	in, ids, err := f.open(ctx, g, paths)
	if err != nil {
		return g.stopped(err)
	}
	defer in.Close()
	linking := &steps{to: g.phases()}
	db, gone, err := openLiving(dir, &living.Options{Integrated: func(done, total int) {
		if total > 0 {
			linking.tell("link", "rows", int64(done), int64(total))
		}
	}})
	if err != nil {
		return err
	}
	defer db.Close()
	names := shownNames(paths)
	if err := suitsGraph(db, in, paths); err != nil {
		return err
	}
	if ids == nil {
		if err := g.tellUnnamed(db, dir); err != nil {
			return err
		}
	}
	p := putting{db: db, in: in, ids: ids, dir: dir, names: names, steps: &steps{to: g.phases()}, sum: appended{Dir: dir}}
	p.full = func() error { return f.whenFull(ctx, g, db, dir, o) }
	err = p.all(ctx, g)
	p.steps.end()
	if err != nil {
		return g.stopped(err)
	}
	sum := p.sum
	g.tellIsolated(gone, dir)
	err = f.link(ctx, g, db, sum.Put, o)
	linking.end()
	if err != nil {
		g.behindBar("all rows are put, but not all are linked into the graph: this command goes on when it is given again, and so do the next append and knng compact " + operand(dir))
		return err
	}
	if err := f.show(g, db, &sum); err != nil {
		return err
	}
	err = f.settle(ctx, g, dir, db, o)
	if err == nil || err == f.short {
		err = errors.Join(err, p.end())
	}
	sum.Done = f.compacted
	return f.tell(g, sum, err)
}

// suitsGraph is suits for the rows of a store.
func suitsGraph(db *living.DB, in *vectors.Input, paths []string) error {
	v, err := db.View()
	if err != nil {
		return err
	}
	defer v.Close()
	return suits(in, v.Dim(), paths)
}

func (f *appendFlags) show(g *globals, db *living.DB, sum *appended) error {
	v, err := db.View()
	if err != nil {
		return err
	}
	defer v.Close()
	sum.Rows, sum.Due = v.Len(), v.State().Due
	if !g.quiet && !g.json {
		fmt.Fprintf(g.stdout, "%s: %d rows put, of which %d in place of others; %d were there; %d rows live\n", sum.Dir, sum.Put, sum.Replaced, sum.Same, sum.Rows)
		if sum.Due && !f.compact {
			fmt.Fprintf(g.stdout, "a compaction would pay: knng compact %s\n", operand(sum.Dir))
		}
	}
	return nil
}
