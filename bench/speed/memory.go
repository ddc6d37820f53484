package speed

import (
	"context"
	"fmt"

	"github.com/knng/knng/bench/peers"
)

// memory compares peak memory with the least that a build must hold: the rows as
// given, and k numbers and keys of 4 bytes for each.
func (c *Config) memory(ctx context.Context) error {
	set, err := c.set("sift")
	if err != nil {
		return err
	}
	return c.on(ctx, set, c.K, asking(nil, recalls...), func(r *peers.Runner, points []peers.Point) {
		need := float64(r.Len()) * float64(r.Dim()+8*c.K) // of uint8
		fmt.Fprintf(c.Out, "\n%s, %d x %d uint8, k = %d: rows and lists are %.0f MiB\n\n", set.Name, r.Len(), r.Dim(), c.K, need/(1<<20))
		fmt.Fprintln(c.Out, "| recall asked for | found | method | peak resident, MiB | over rows and lists | of it anonymous, MiB |\n|---|---|---|---|---|---|")
		for _, p := range points {
			if p.Build == nil || p.Side() != peers.Ours || p.Repeat != 0 {
				continue
			}
			fmt.Fprintf(c.Out, "| %v | %.4f | %s | %.0f | %.2f | %.0f |\n", p.Parameters["recall"], p.Recall.Recall, p.Build.Method,
				float64(p.PeakRSS)/(1<<20), float64(p.PeakRSS)/need, float64(p.Build.PeakAnon)/(1<<20))
		}
	})
}
