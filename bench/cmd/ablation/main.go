// Command ablation builds a data set by the paper's method, and again with each
// of its parts switched off in turn, and prints a table.
//
//	go run ./bench/cmd/ablation -truth sift.gt -rows sift.rows.ibin sift.u8bin
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/knng/knng/bench/ablation"
)

func main() {
	var c ablation.Config
	flag.StringVar(&c.Truth, "truth", "", "exact lists (.gt)")
	flag.StringVar(&c.Rows, "rows", "", "their rows (.rows.ibin)")
	flag.IntVar(&c.K, "k", 20, "neighbors of a row")
	flag.IntVar(&c.Limit, "limit-rows", 0, "read only this many rows")
	flag.IntVar(&c.Threads, "threads", 0, "threads (default GOMAXPROCS)")
	flag.StringVar(&c.Scratch, "scratch", "", "folder for the graphs while they are measured")
	only := flag.String("only", "", "names of variants, separated by commas")
	lines := flag.String("json", "", "append one JSON line a variant to this file")
	flag.Parse()
	c.Inputs = flag.Args()
	if *only != "" {
		c.Only = strings.Split(*only, ",")
	}
	if err := run(&c, *lines); err != nil {
		fmt.Fprintln(os.Stderr, "ablation:", err)
		os.Exit(1)
	}
}

func run(c *ablation.Config, lines string) error {
	ablation.Header(os.Stdout)
	return c.Run(context.Background(), func(r ablation.Row) error {
		ablation.PrintRow(os.Stdout, r)
		if lines == "" {
			return nil
		}
		f, err := os.OpenFile(lines, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		defer f.Close()
		return json.NewEncoder(f).Encode(r)
	})
}
