// Command targets builds data sets for several recalls, by several seeds, and prints how
// near the graphs come to their targets.
//
//	go run ./bench/cmd/targets -seeds 6 gist.npy mnist.bvecs
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/knng/knng/bench/targets"
	"github.com/knng/knng/builder"
)

func main() {
	c := targets.Config{Targets: []float64{0.90, 0.95, 0.99}}
	method := flag.String("method", "balls", "auto, balls, parts or paper")
	flag.IntVar(&c.Limit, "limit-rows", 0, "read only this many rows")
	flag.IntVar(&c.Options.K, "k", builder.DefaultK, "neighbors of a row")
	flag.IntVar(&c.Options.Threads, "threads", 0, "threads (default GOMAXPROCS)")
	flag.IntVar(&c.Seeds, "seeds", 5, "builds for each target")
	flag.IntVar(&c.Sample, "sample", 5000, "rows that tell the recall of a graph")
	flag.StringVar(&c.Scratch, "scratch", "", "folder for the graphs")
	flag.Parse()
	c.Options.Method = builder.Method(*method)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	targets.Head(os.Stdout)
	for _, c.Input = range flag.Args() {
		if err := c.Run(ctx, func(r targets.Row) { r.Print(os.Stdout, c.Input) }); err != nil {
			fmt.Fprintf(os.Stderr, "targets: %s: %v\n", c.Input, err)
			os.Exit(1)
		}
	}
}
