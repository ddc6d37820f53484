package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

const deleteHelp = `Delete rows from a finished graph, by number or by external id: all that are named, or none.

  knng delete photos.knng 17 42
  knng delete photos.knng --id cat.jpg
  knng delete photos.knng --ids gone.txt
  knng delete photos.knng --rows numbers.txt
  knng delete photos.knng --ids gone.txt --compact

Deleted rows take space on the disk until the graph is compacted. --compact does so where that pays:
where more than an eighth of the rows, and more than 4,096, are deleted.

The first write to a graph removes its isolated rows (build --bad-rows isolate).`

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
	db, gone, err := openLiving(dir, nil)
	if err != nil {
		return err
	}
	defer db.Close()
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
