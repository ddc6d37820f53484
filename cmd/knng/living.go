package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
)

const appendHelp = `Put rows into a finished graph. Searches and lists have them at once. Every query is compared
with the new rows until there are a thousand or more, which are then linked into the graph.

  knng append photos.knng more.npy --ids names.txt
  knng append photos.knng more.npy

With --ids a row replaces the one that has its id, and a row that is there already, with the
same vector, is skipped: after an interruption give the command again. Rows are committed
every 16 MiB. Ids that are there twice are refused, and nothing is put.

Without ids all rows are put, or none, up to 262,144 rows and 256 MiB. More are committed every
16 MiB as well. After an interruption give the command again: of more than 4,096 rows it puts
none twice, goes on behind them, and until it has ended other rows are refused. Where rows of the
graph have ids, rows without are known by their numbers alone.

Rows that are isolated (build --bad-rows isolate) are no rows from the first write on.

The command compacts the graph where 262,144 rows were put since the last compaction, and where
more rows wait to be linked than half of the others: that takes less time than to link them. With
--compact it also does so at the end, where that pays: where the rows put since are more than
a quarter of the graph, or the deleted ones more than an eighth, and more than 4,096.`

const deleteHelp = `Delete rows from a finished graph, by number or by external id: all that are named, or none.

  knng delete photos.knng 17 42
  knng delete photos.knng --id cat.jpg
  knng delete photos.knng --ids gone.txt
  knng delete photos.knng --rows numbers.txt
  knng delete photos.knng --ids gone.txt --compact

Rows that are isolated (build --bad-rows isolate) are no rows from the first write on.
Deleted rows take space on the disk until the graph is compacted. --compact does so where that pays:
where more than an eighth of the rows, and more than 4,096, are deleted.`

const compactHelp = `Build the graph anew from all live rows, while others read it. Append and delete end with exit
code 5 meanwhile; a Go program can write while it compacts (package store/living). Rows keep
their numbers and ids; deleted rows leave the disk. Interrupt it as you like; the same command
continues.

  knng compact photos.knng
  knng compact photos.knng --recall 0.99     # a better graph, also where nothing was written

It takes as long as knng build of the same rows with the same recall, however few rows were
written. With --recall it begins from the lists that are there, and takes about two thirds of that.`

const mergeHelp = `Build one graph of the live rows of several graphs, which stay as they are. Rows get new
numbers, in the order of the graphs, and keep their ids: all rows have one, no two the same, or
none has. Interrupt it as you like; the same command continues.

  knng merge a.knng b.knng -o all.knng`

// openLiving opens a graph for writing.
func openLiving(dir string) (*living.DB, error) { return living.Open(dir, nil) }

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
	db, err := living.Open(dir, &living.Options{Integrated: func(done, total int) {
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
	gone, err := isolated(db, dir)
	if err != nil {
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
		g.behindBar("all rows are put, but not all are linked into the graph: do not give this command again; the next append goes on, or knng compact " + operand(dir))
		return err
	}
	if err := f.show(g, db, &sum); err != nil {
		return err
	}
	err = f.settle(ctx, g, dir, db, o)
	if err == nil {
		err = p.end()
	}
	sum.Done = f.compacted
	return f.tell(g, sum, err)
}

// isolated counts the rows that the first write to a graph takes away, as they have no place in it: 0 after that write.
func isolated(db *living.DB, dir string) (int, error) {
	if living.Is(dir) {
		return 0, nil
	}
	v, err := db.View()
	if err != nil {
		return 0, err
	}
	defer v.Close()
	if v.Base() == nil {
		return 0, nil
	}
	return v.Base().Len() - v.Len(), nil
}

// tellIsolated tells of rows that the first write took away, where there was one.
func (g *globals) tellIsolated(gone int, dir string) {
	if gone > 0 && living.Is(dir) {
		g.say("%d isolated rows (build --bad-rows isolate) are no rows of %s from this first write on; all others keep their numbers", gone, dir)
	}
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

// readLines reads a file of so many lines; any number if that is below 0. It is nil where there
// is no file.
func readLines(path string, want int) (lines []string, err error) {
	if path == "" {
		return nil, nil
	}
	f, err := openText(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return idsIn(f, path, want)
}

// idsIn reads lines, which are ids of so many rows, or anything if want is below 0; errors say of which name.
func idsIn(r io.ReadSeeker, name string, want int) (lines []string, err error) {
	if want >= 0 {
		if err := store.CheckIDs(r, name, want); err != nil {
			return nil, err
		}
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
	}
	err = eachLine(r, name, func(line string) error {
		lines = append(lines, line)
		return nil
	})
	return lines, err
}

// named are the rows that a command names.
type named struct {
	byID  bool   // those of the command line are external ids
	ids   string // file of external ids
	rows  string // file of row numbers
	given []string
}

// read returns the names, and the file that they stand in, "" for the command line.
func (n *named) read() (names []string, path string, err error) {
	ways := 0
	for _, given := range []bool{len(n.given) > 0, n.ids != "", n.rows != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 || n.byID && len(n.given) == 0 {
		return nil, "", usageError{errors.New("want rows, such as \"knng delete DIR 17 42\" or \"knng delete DIR --id cat.jpg\", or --ids FILE, or --rows FILE: one of these")}
	}
	if path = cmp.Or(n.ids, n.rows); path == "" {
		return n.given, "", nil
	}
	if path == "-" {
		names, err = idsIn(os.Stdin, "stdin", -1)
		return names, "stdin", err
	}
	names, err = readLines(path, -1)
	return names, path, err
}

func newDelete(g *globals) *cobra.Command {
	f, n := new(writing), new(named)
	c := &cobra.Command{
		Use: "delete DIR [ROW...]", Short: "Delete rows from a graph", Long: deleteHelp,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			n.given = a[1:]
			return f.delete(c.Context(), g, a[0], n)
		},
	}
	c.Flags().BoolVar(&n.byID, "id", false, "the rows named are external ids in place of row numbers")
	c.Flags().StringVar(&n.ids, "ids", "", "file of external ids, one a line; \"-\" is stdin")
	c.Flags().StringVar(&n.rows, "rows", "", "file of row numbers, one a line; \"-\" is stdin")
	f.bind(c)
	return c
}

func (f *writing) delete(ctx context.Context, g *globals, dir string, n *named) error {
	o, err := f.options(g)
	if err != nil {
		return usageError{err}
	}
	names, path, err := n.read()
	if err != nil {
		return err
	}
	db, err := openLiving(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	gone, err := isolated(db, dir)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *living.Tx) error {
		for i, name := range names {
			err := deleteOne(tx, name, n.byID || n.ids != "")
			if err == nil {
				continue
			}
			if path != "" {
				err = fmt.Errorf("%s: line %d: %w", path, i+1, err)
			}
			err = fmt.Errorf("%w; nothing is deleted", err)
			if path == "" && errors.Is(err, errNumber) {
				err = usageError{err}
			}
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	g.tellIsolated(gone, dir)
	if !g.quiet && !g.json {
		fmt.Fprintf(g.stdout, "%s: %d rows deleted\n", dir, len(names))
	}
	err = f.settle(ctx, g, dir, db, o)
	return f.tell(g, map[string]any{"dir": dir, "deleted": len(names), "compacted": f.compacted}, err)
}

// errNumber: a row is named by something else.
var errNumber = errors.New("is not a row number")

func deleteOne(tx *living.Tx, line string, byID bool) error {
	if byID {
		return tx.Delete(line)
	}
	row, err := strconv.ParseUint(line, 10, 63)
	if err != nil {
		return fmt.Errorf("%q %w; for external ids give --id, or --ids FILE", line, errNumber)
	}
	return tx.DeleteRow(store.Row(row))
}

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
	db, err := openLiving(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	gone, err := isolated(db, dir)
	if err != nil {
		return err
	}
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
