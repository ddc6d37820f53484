package speed

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/knng/knng/bench/peers"
)

// recalls are those at which fronts are read.
var recalls = []float64{0.90, 0.95, 0.99}

// fronts is knng beside peers on real sets.
func (c *Config) fronts(ctx context.Context) (all error) {
	for _, name := range []string{"gist", "mnist", "sift"} {
		if len(c.Sets) > 0 && !slices.Contains(c.Sets, name) {
			continue
		}
		set, err := c.set(name)
		if err != nil {
			return err
		}
		if budget(&all, c.beside(ctx, set, c.K)) {
			return all
		}
	}
	return all
}

// beside compares knng with peers on one set.
func (c *Config) beside(ctx context.Context, set peers.Set, k int) error {
	r, err := c.Run.On(set)
	if err != nil {
		return err
	}
	defer r.Close()
	comparison := peers.Comparison{K: k, Threads: c.Threads, Repeats: c.Repeats, Only: c.Only}
	err = comparison.Run(ctx, r)
	if err != nil && !errors.Is(err, peers.ErrBudget) {
		return err
	}
	points := comparison.Points(r)
	fmt.Fprintf(c.Out, "\n### %s, %d x %d, k = %d\n", set.Name, r.Len(), r.Dim(), k)
	peers.PrintSettings(c.Out, points)
	peers.PrintRatios(c.Out, points, recalls)
	peers.PrintParts(c.Out, points, recalls)
	if c.Plot == "" || len(points) == 0 {
		return err
	}
	return errors.Join(err, peers.Draw(filepath.Join(c.Plot, set.Name), points))
}

// wide is the same where rows are long: 1,024 dimensions of float16.
func (c *Config) wide(ctx context.Context) error {
	set, err := c.made(ctx, 200_000, 1024, float16)
	if err != nil {
		return err
	}
	if err := c.dimension(ctx, set); err != nil {
		return err
	}
	return c.beside(ctx, set, 15)
}
