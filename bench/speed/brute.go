package speed

import (
	"context"
	"fmt"

	"github.com/knng/knng/bench/peers"
)

// exactRows is how many rows our exact mode is timed on where there are more; its
// comparisons grow with their square.
const exactRows = 100_000

// exactMode compares all pairs.
var exactMode = peers.Setting{Peer: peers.Ours, Parameters: map[string]any{"method": "exact"}}

// brute compares with comparing everything, on SIFT.
func (c *Config) brute(ctx context.Context) (all error) {
	set, err := c.set("sift")
	if err != nil {
		return err
	}
	settings := append(asking(nil, peers.Targets...), peers.Setting{Peer: "openblas", Parameters: map[string]any{"sample": 2048}})
	var openblas, exact float64
	var points []peers.Point
	var rows int
	err = c.on(ctx, set, c.K, settings, func(r *peers.Runner, p []peers.Point) {
		points, rows = p, r.Len()
		openblas = at(p, "openblas", 1)
	})
	if budget(&all, err) {
		return all
	}
	few := set
	if set.Limit == 0 || set.Limit > exactRows {
		few.Limit = exactRows
	}
	err = c.on(ctx, few, c.K, []peers.Setting{exactMode}, func(r *peers.Runner, p []peers.Point) {
		times := float64(rows) / float64(r.Len())
		exact = at(p, "knng exact", 1) * times * times
	})
	if budget(&all, err) {
		return all
	}
	peers.PrintSettings(c.Out, points)
	fmt.Fprintf(c.Out, "\nOur exact mode, all pairs once: %.0f s (scaled from %d rows by their square)\n", exact, min(rows, exactRows))
	fmt.Fprintf(c.Out, "\n| recall | rows to lists, s | of OpenBLAS (%.0f s) | of our exact mode |\n|---|---|---|---|\n", openblas)
	for _, recall := range recalls {
		s := at(points, peers.Ours, recall)
		fmt.Fprintf(c.Out, "| %.2f | %.2f | %s | %s |\n", recall, s, share(s, openblas), share(s, exact))
	}
	return all
}

// share is a part of a whole in percent, - where one of them is not known.
func share(part, whole float64) string {
	if part == 0 || whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", 100*part/whole)
}
