// Command fit measures the constants that builds by balls go by, and chooses each on all
// sets but one to test it on that one.
//
//	go run ./bench/cmd/fit -limit-rows 200000 gist.npy mnist.bvecs.gz sift.u8bin faces.npy made.u8bin
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/knng/knng/bench/fit"
	"github.com/knng/knng/builder"
)

func main() {
	c := fit.Config{Options: builder.Options{Method: builder.Balls}}
	flag.IntVar(&c.Limit, "limit-rows", 0, "read only this many rows of an input")
	flag.IntVar(&c.Options.K, "k", builder.DefaultK, "neighbors of a row")
	flag.IntVar(&c.Options.Threads, "threads", 0, "threads (default GOMAXPROCS)")
	flag.IntVar(&c.Repeats, "repeats", 3, "builds of a setting")
	flag.IntVar(&c.Sample, "sample", 2000, "rows that tell the recall of a graph")
	flag.StringVar(&c.Scratch, "scratch", "", "folder for the graphs")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var sets []*fit.Fronts
	for _, input := range flag.Args() {
		f, err := c.Run(ctx, input)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		sets = append(sets, f)
	}
	if len(sets) < 2 {
		fmt.Fprintln(os.Stderr, "fit: to leave one out takes two sets at least")
		os.Exit(2)
	}
	fit.Report(os.Stdout, sets)
}
