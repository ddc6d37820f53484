package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
)

const planHelp = `Estimate the cost of a build, without building: its passes over the data, peak
memory, peak disk (store and scratch, beyond the source), bytes read and written,
and time; then the disk that searches take. To estimate the time it measures this
machine for 20 ms to a second.

It takes the flags of build; -o is ignored. Without --divisions and --rounds their numbers
are estimates too. Compressed inputs and stdin are unpacked first, in the folder that
--scratch names, or else the system's for temporary files.

  knng plan photos.npy -k 20
  knng plan rows.u8bin --method parts --memory 512MiB --json
  knng plan rows.u8bin --cluster 20x16`

func newPlan(g *globals) *cobra.Command {
	b := new(buildFlags)
	cluster := ""
	c := &cobra.Command{
		Use: "plan INPUT...", Short: "Estimate the cost of a build", Long: planHelp,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, inputs []string) error {
			if err := b.complete(c, inputs); err != nil {
				return usageError{err}
			}
			if anySparse(inputs) {
				if cluster != "" {
					return usageError{errors.New("--cluster plans builds of dense rows: a sparse matrix is built by one machine")}
				}
				return b.planSparse(c.Context(), g, inputs)
			}
			if cluster != "" {
				return b.planShards(c.Context(), g, inputs, cluster)
			}
			return b.plan(c.Context(), g, inputs)
		},
	}
	b.bind(c)
	g.groupFlags(c, buildGroups)
	c.Flags().StringVar(&cluster, "cluster", "", "the cost of a build by M machines of T threads each, such as 20x16 (python -m knng.cluster)")
	return c
}

// plan plans the build that run would make.
func (b *buildFlags) plan(ctx context.Context, g *globals, inputs []string) error {
	in, err := g.openInput(ctx, inputs, vectors.OpenOptions{Limit: b.limit, Scratch: b.opts.Scratch, Column: b.column, IDColumn: b.idColumn, Header: b.header.value})
	if err != nil {
		return err
	}
	defer in.Close()
	if err := b.suits(in); err != nil {
		return err
	}
	p, err := builder.Plan(ctx, in, b.opts)
	if err != nil {
		return err
	}
	if g.json {
		return g.printJSON(p)
	}
	if err := printPlan(g, p); err != nil {
		return err
	}
	return b.planWhole(ctx, g, in, p)
}

// planWhole says how long the balls method would take where auto takes parts to a recall, although memory suffices for
// balls, which are mostly faster: auto does not look at the memory, as the graph would depend on it.
func (b *buildFlags) planWhole(ctx context.Context, g *globals, in *vectors.Input, parts *plan.Plan) error {
	const mostRows = 1<<30 - 1 // of balls
	if b.opts.Method != builder.Auto || parts.Method != string(builder.Parts) || b.opts.Divisions > 0 || parts.Rows > mostRows {
		return nil
	}
	opts := b.opts
	opts.Method = builder.Balls
	p, err := builder.Plan(ctx, in, opts)
	if err == nil && p.LeastBytes <= p.LimitBytes {
		fmt.Fprintf(g.stdout, "--method balls would take %s and %s of memory, to the same recall\n", planned(p.Seconds), size(p.PeakAnonBytes))
	}
	return nil
}

// printPlan prints a plan as a table.
func printPlan(g *globals, p *plan.Plan) error {
	fmt.Fprintln(g.stdout, p.Course())
	w := tabwriter.NewWriter(g.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "pass\ttimes\treads\twrites\tmemory\tdisk\ttime\t")
	for _, x := range p.Passes {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", x.Name, times(x.Times),
			size(x.ReadBytes), size(x.WrittenBytes), size(x.AnonBytes), size(x.DiskBytes), planned(x.Seconds), x.Does)
	}
	fmt.Fprintf(w, "all\t\t%s\t%s\t%s\t%s\t%s\t%s\n", size(p.ReadBytes), size(p.WrittenBytes), size(p.PeakAnonBytes),
		size(p.PeakDiskBytes), planned(p.Seconds), "memory and disk at the peak")
	if err := w.Flush(); err != nil {
		return err
	}
	refused := ""
	if p.LimitBytes < p.LeastBytes {
		refused = ": a build is refused"
	}
	fmt.Fprintf(g.stdout, "the memory limit is %s, the least that will do %s%s\n", size(p.LimitBytes), sufficing(p.LeastBytes), refused)
	printSearchFiles(g, p.Search)
	return nil
}

// printSearchFiles tells the disk that searches take after the build.
func printSearchFiles(g *globals, f *plan.SearchFiles) {
	if f == nil {
		return
	}
	fmt.Fprintf(g.stdout, "after the build, search/links takes %s of disk", size(f.LinksBytes))
	if f.ScratchBytes > 0 {
		fmt.Fprintf(g.stdout, ", and %s more while it is made", size(f.ScratchBytes))
	}
	fmt.Fprintln(g.stdout)
	switch {
	case f.RowsAtOnce:
		fmt.Fprintf(g.stdout, "search/rows, a copy of the rows in an order of locality, takes %s, as this machine has less than %s for rows and links\n", size(f.RowsBytes), size(f.HeldBytes))
	case f.RowsBytes > 0:
		fmt.Fprintf(g.stdout, "a search with a --memory below %s keeps a copy of the rows in search/rows, of %s\n", size(f.HeldBytes), size(f.RowsBytes))
	}
}

// times is how often a pass is expected, in whole numbers.
func times(x float64) string {
	if x > 0.1 && x < 0.75 {
		return "0 or 1"
	}
	return strconv.FormatFloat(math.Round(x), 'f', -1, 64)
}

// sufficing is a size of memory that is not refused when it is given as the limit: as a
// refusal names it, in tenths of a MiB, the next above.
func sufficing(n int64) string {
	return fmt.Sprintf("%.1f MiB", math.Floor(float64(n)/(1<<20)*10+1)/10)
}

// planned is a predicted time; "" where there is none.
func planned(seconds float64) string {
	if seconds == 0 {
		return ""
	}
	return short(time.Duration(seconds * float64(time.Second)))
}
