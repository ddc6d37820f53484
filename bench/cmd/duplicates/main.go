// Command duplicates builds a data set with none, some and all of its rows
// identical, kept and collapsed, and prints the cost of each beside the set as it
// is.
//
//	go run ./bench/cmd/duplicates -limit-rows 100000 sift.u8bin
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/knng/knng/bench/duplicates"
	"github.com/knng/knng/builder"
)

func main() {
	var c duplicates.Config
	method := flag.String("method", "auto", "auto, exact, balls or paper")
	flag.IntVar(&c.Limit, "limit-rows", 0, "read only this many rows")
	flag.IntVar(&c.Options.K, "k", builder.DefaultK, "neighbors of a row")
	flag.Float64Var(&c.Options.Recall, "recall", 0, "target recall (default 0.95)")
	flag.IntVar(&c.Options.Threads, "threads", 0, "threads (default GOMAXPROCS)")
	flag.StringVar(&c.Scratch, "scratch", "", "folder for the graphs")
	flag.Parse()
	c.Inputs, c.Options.Method = flag.Args(), builder.Method(*method)
	var t duplicates.Table
	if err := c.Run(context.Background(), func(r duplicates.Row) { t.Add(os.Stdout, r) }); err != nil {
		fmt.Fprintln(os.Stderr, "duplicates:", err)
		os.Exit(1)
	}
}
