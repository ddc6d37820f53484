package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
)

const checkHelp = `Verify a finished graph: size and hash of every file, every block, the shape and
order of every list, the order, the ids, the checksum, and the distances of a
sample of rows. Exit code 1 means damage.

  knng check photos.knng
  knng check photos.knng --full    # the distances of all rows`

func newCheck(g *globals) *cobra.Command {
	var opts store.CheckOptions
	c := &cobra.Command{
		Use: "check DIR", Short: "Verify every file, list and distance of a graph", Long: checkHelp,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error { return runCheck(c, g, a[0], opts) },
	}
	c.Flags().BoolVar(&opts.Full, "full", false, "compute the distances of all rows again")
	return c
}

func runCheck(c *cobra.Command, g *globals, dir string, opts store.CheckOptions) error {
	steps := &steps{to: g.phases()}
	opts.Progress = func(what string, done, total int64) {
		unit := "rows"
		if what == "files" {
			unit = "bytes"
		}
		steps.tell(what, unit, done, total)
	}
	base, done, err := checkedBase(dir)
	if err != nil {
		return err
	}
	defer done()
	report := new(store.CheckReport)
	if base != "" {
		report, err = store.Check(c.Context(), base, opts)
	}
	steps.end()
	if err != nil {
		return err
	}
	if report.OK() && base != "" {
		if err := checkLinks(c.Context(), base, report); err != nil {
			return err
		}
	}
	for _, lines := range [][]string{report.Faults, report.Notes} {
		for i, line := range lines {
			lines[i] = withoutPackages(line, g.args)
		}
	}
	if g.json {
		if err := g.printJSON(report); err != nil {
			return err
		}
	} else {
		printReport(g, dir, report)
	}
	if !report.OK() {
		return errSilent
	}
	return nil
}

// checkedBase is the folder that holds the graph: of one that is written to, the base, which
// stays until done is called. Every frame of the logs is read then. It is "" where no row is in
// a graph.
func checkedBase(dir string) (base string, done func(), err error) {
	if !living.Is(dir) {
		return dir, func() {}, nil
	}
	v, err := living.OpenReader(dir, nil)
	if err != nil {
		return "", nil, err
	}
	return v.State().Base, func() { v.Close() }, nil
}

// checkLinks compares the links of search with those of the lists, where there are any. They
// are derived, so that a damaged file is no loss, but a search would walk it.
func checkLinks(ctx context.Context, dir string, report *store.CheckReport) error {
	s, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	switch err := search.Check(ctx, s); {
	case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, search.ErrOwnDistance):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, search.ErrCorrupt):
		report.Faults = append(report.Faults, err.Error()+"; delete it, and the next search makes it again")
	default:
		report.Notes = append(report.Notes, fmt.Sprintf("the links of search were not checked: %v", err))
	}
	return nil
}

func printReport(g *globals, dir string, r *store.CheckReport) {
	for _, f := range r.Faults {
		fmt.Fprintf(g.stdout, "damaged: %s\n", f)
	}
	if r.More > 0 {
		fmt.Fprintf(g.stdout, "damaged: %d more faults\n", r.More)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(g.stdout, "note: %s\n", n)
	}
	if r.OK() {
		fmt.Fprintf(g.stdout, "%s is sound: %d files (%s) hashed, %d lists, %d ids, %d distances computed again\n",
			dir, r.Files, size(r.Bytes), r.Lists, r.IDs, r.Recomputed)
		if r.Reverse > 0 {
			fmt.Fprintf(g.stdout, "in-neighbors: %d entries, those of the lists\n", r.Reverse)
		}
	}
}
