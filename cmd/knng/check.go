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
sample of rows. Of a graph that was written to also every operation in its logs: the
lists and distances are those of the graph that was built last. Exit code 1 means damage,
2 that there is no finished graph.

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
	report, written, err := checkAll(c.Context(), dir, opts)
	steps.end()
	if err != nil {
		return err
	}
	for _, lines := range [][]string{report.Faults, report.Notes} {
		for i, line := range lines {
			lines[i] = withoutPackages(line, g.args)
		}
	}
	if g.json {
		if err := g.printWith(report, written.members(report)); err != nil {
			return err
		}
	} else {
		printReport(g, dir, report, written)
	}
	if !report.OK() {
		return errSilent
	}
	return nil
}

// checkAll checks a graph: of one that was written to all operations and the graph that was built last, and
// counts the writes.
func checkAll(ctx context.Context, dir string, opts store.CheckOptions) (*store.CheckReport, *checkedWrites, error) {
	if !living.Is(dir) {
		report, err := checkBuilt(ctx, dir, opts)
		return report, nil, err
	}
	report := &store.CheckReport{Faults: []string{}, Notes: []string{}}
	v, err := living.OpenReader(dir, nil) // reads and compares every frame of the logs
	if errors.Is(err, store.ErrCorrupt) {
		report.Faults = append(report.Faults, withRemedy(err).Error())
		return report, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer v.Close() // until then the base stays
	st := v.State()
	if st.Base != "" {
		report, err = checkBuilt(ctx, st.Base, opts)
	}
	return report, &checkedWrites{st}, err
}

// withRemedy is an error of damage with advice, where it has none.
func withRemedy(err error) error {
	if advised := new(store.AdvisedError); errors.As(err, &advised) {
		return err
	}
	return fmt.Errorf("%w; restore it from a copy that is whole, or build it again", err)
}

// checkBuilt checks a graph as it was built.
func checkBuilt(ctx context.Context, dir string, opts store.CheckOptions) (*store.CheckReport, error) {
	report, err := store.Check(ctx, dir, opts)
	if err == nil && report.OK() {
		err = checkLinks(ctx, dir, report)
	}
	return report, err
}

// checkedWrites count the writes to a graph that is checked; nil where there were none.
type checkedWrites struct{ living.State }

// members are those of the report as JSON, whose rows are those that live.
func (w *checkedWrites) members(r *store.CheckReport) map[string]any {
	if w == nil {
		return nil
	}
	return map[string]any{"living": true, "rows": w.Rows, "base_rows": r.Rows, "layered": w.Layered, "pending": w.Pending, "logs": w.Logs, "ops": w.Ops}
}

// checkLinks compares the links of search with those of the lists, where there are any. They
// are derived, so that a damaged file is no loss, but a search would walk it.
func checkLinks(ctx context.Context, dir string, report *store.CheckReport) error {
	s, err := store.Open(dir, &store.Options{AsBuilt: true})
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

func printReport(g *globals, dir string, r *store.CheckReport, written *checkedWrites) {
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
		if written != nil {
			fmt.Fprintf(g.stdout, "logs       %d read, operations to %d: %d rows live, of which %d brought in since the lists were built, %d pending\n",
				written.Logs, written.Ops, written.Rows, written.Layered, written.Pending)
		}
		if r.Reverse > 0 {
			fmt.Fprintf(g.stdout, "in-neighbors: %d entries, those of the lists\n", r.Reverse)
		}
	}
}
