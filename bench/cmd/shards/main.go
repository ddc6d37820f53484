// Command shards does the tasks of a build by many machines one after the other, on one thread, as a process
// "knng stage work" does, and prints the seconds that they took beside their plan, and how long so many workers would take
// for them where each stage is awaited.
//
//	go run ./bench/cmd/shards -k 10 -divisions 8 -workers 1,2,4,8,16 sift.u8bin
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/knng/knng/bench/shards"
)

func main() {
	var c shards.Config
	var workers string
	flag.IntVar(&c.Opts.K, "k", 10, "neighbors of a row")
	flag.IntVar(&c.Opts.Divisions, "divisions", 8, "leaves that a row stands in")
	flag.IntVar(&c.Cut.Rows, "shard-rows", 0, "rows that one task reads (default a million, or a sixteenth of all)")
	flag.Int64Var(&c.Memory, "memory", 1<<30, "bytes of memory")
	flag.StringVar(&c.Dir, "scratch", os.TempDir(), "folder for the run")
	flag.StringVar(&workers, "workers", "1,2,4,8,16", "workers to lay the tasks out on, by comma")
	flag.Parse()
	c.Inputs = flag.Args()
	if err := run(&c, workers); err != nil {
		fmt.Fprintln(os.Stderr, "shards:", err)
		os.Exit(1)
	}
}

func run(c *shards.Config, workers string) error {
	var counts []int
	for _, word := range strings.Split(workers, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return fmt.Errorf("-workers %q, want numbers such as 1,2,4", workers)
		}
		counts = append(counts, n)
	}
	if len(c.Inputs) == 0 {
		return fmt.Errorf("no file is given")
	}
	m, err := c.Do(context.Background())
	if err != nil {
		return err
	}
	m.Write(os.Stdout, counts)
	return nil
}
