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
	var sets []peers.Sample
	for _, name := range []string{"gist", "mnist", "sift"} {
		if len(c.Sets) > 0 && !slices.Contains(c.Sets, name) {
			continue
		}
		set, err := c.set(name)
		if err != nil {
			return err
		}
		points, err := c.beside(ctx, set, c.K)
		if len(points) > 0 {
			sets = append(sets, peers.Sample{Name: fmt.Sprintf("%s, %d rows, k = %d", name, points[0].Rows, c.K), Points: points})
		}
		if budget(&all, err) {
			break
		}
	}
	if c.Plot == "" || len(sets) == 0 {
		return all
	}
	return errors.Join(all, peers.DrawSets(filepath.Join(c.Plot, "sets"), sets))
}

// beside compares knng with peers on one set, and returns all runs.
func (c *Config) beside(ctx context.Context, set peers.Set, k int) ([]peers.Point, error) {
	r, err := c.Run.On(set)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	comparison := peers.Comparison{K: k, Threads: c.Threads, Repeats: c.Repeats, Only: c.Only}
	err = comparison.Run(ctx, r)
	if err != nil && !errors.Is(err, peers.ErrBudget) {
		return nil, err
	}
	points := comparison.Points(r)
	fmt.Fprintf(c.Out, "\n### %s, %d x %d, k = %d\n", set.Name, r.Len(), r.Dim(), k)
	peers.PrintSettings(c.Out, points)
	peers.PrintRatios(c.Out, points, recalls)
	peers.PrintParts(c.Out, points, recalls)
	if c.Plot == "" || len(points) == 0 {
		return points, err
	}
	return points, errors.Join(err, peers.Draw(filepath.Join(c.Plot, set.Name), points))
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
	_, err = c.beside(ctx, set, 15)
	return err
}
