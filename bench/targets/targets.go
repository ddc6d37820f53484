// Package targets measures how near builds come to the recall that they are asked for:
// one data set built again and again, by other seeds and for other targets, each graph's
// recall measured on many rows.
package targets

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// Config is the builds to make.
type Config struct {
	Input   string
	Limit   int // read only so many rows; 0: all
	Options builder.Options
	Targets []float64
	Seeds   int    // builds of each target
	Sample  int    // rows that tell the recall of a graph
	Scratch string // folder for the stores, which are removed one by one
}

// Row is the outcome of the builds for one target.
type Row struct {
	Target  float64
	Recalls []float64 // of each build, ascending
	Seconds float64   // of the median build
	Shares  float64   // of comparisons that controls took, in the median build
}

// over is how far above its target a build may come and still be said to have met it. The
// most precise targets have no room above them.
const over = 0.02

// Met counts builds below the target, at it or at most over above it, and beyond.
func (r *Row) Met() (below, met, beyond int) {
	for _, recall := range r.Recalls {
		switch {
		case recall < r.Target:
			below++
		case recall > r.Target+over:
			beyond++
		default:
			met++
		}
	}
	return below, met, beyond
}

// Run builds the input for every target and tells each outcome to done.
func (c *Config) Run(ctx context.Context, done func(Row)) error {
	in, err := vectors.Open([]string{c.Input}, &vectors.OpenOptions{Limit: c.Limit})
	if err != nil {
		return err
	}
	defer in.Close()
	dir, err := os.MkdirTemp(c.Scratch, "targets-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, target := range c.Targets {
		row := Row{Target: target}
		var seconds, shares []float64
		for seed := range c.Seeds {
			o := c.Options
			o.Recall, o.Seed = target, uint64(seed+1)
			recall, result, err := c.one(ctx, in, filepath.Join(dir, "graph"), o)
			if err != nil {
				return fmt.Errorf("target %v, seed %d: %w", target, o.Seed, err)
			}
			row.Recalls = append(row.Recalls, recall)
			seconds = append(seconds, result.Seconds)
			shares = append(shares, float64(result.ControlPairs)/float64(max(1, result.RequestedPairs)))
		}
		slices.Sort(row.Recalls)
		row.Seconds, row.Shares = median(seconds), median(shares)
		done(row)
	}
	return nil
}

// one builds a graph, measures it, and removes it. The rows that tell are drawn by a seed
// that no build has.
func (c *Config) one(ctx context.Context, in *vectors.Input, graph string, o builder.Options) (float64, *builder.Result, error) {
	result, err := builder.Build(ctx, graph, in, o)
	if err != nil {
		return 0, nil, err
	}
	s, err := store.Open(graph, nil)
	if err != nil {
		return 0, nil, err
	}
	est, err := builder.MeasureRecall(ctx, s, c.Sample, 1<<32, nil)
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.RemoveAll(graph)
	}
	return est.Recall, result, err
}

func median(xs []float64) float64 {
	slices.Sort(xs)
	return xs[len(xs)/2]
}

// Head prints the names of the columns of rows.
func Head(w io.Writer) {
	fmt.Fprintln(w, "| input | asked | found: least | median | most | below | met | beyond | seconds | controls |\n|---|---|---|---|---|---|---|---|---|---|")
}

// Print prints one row of a table.
func (r *Row) Print(w io.Writer, input string) {
	below, met, beyond := r.Met()
	fmt.Fprintf(w, "| %s | %v | %.4f | %.4f | %.4f | %d | %d | %d | %.2f | %.1f %% |\n", filepath.Base(input), r.Target,
		r.Recalls[0], r.Recalls[len(r.Recalls)/2], r.Recalls[len(r.Recalls)-1], below, met, beyond, r.Seconds, 100*r.Shares)
}
