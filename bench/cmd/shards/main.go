// Command shards does the tasks of a build by many machines one after the other, on one thread, as a process
// "knng stage work" does, and prints the seconds that they took beside their plan, and how long so many workers would take
// for them where each stage is awaited.
//
//	go run ./bench/cmd/shards -k 10 -divisions 8 -workers 1,2,4,8,16 sift.u8bin
//	go run ./bench/cmd/shards -rows 2000000,4000000,8000000,16000000 g16M.u8bin
//
// It measures all rows or, with -rows, the first so many, one count after the other. SIFT takes some 22 s a million
// rows of 128 bytes and, at the peak, 1.1 GB of disk for the run and its own copy of the rows.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/knng/knng/bench/shards"
)

func main() {
	var c shards.Config
	var workers, rows string
	flag.IntVar(&c.Opts.K, "k", 10, "neighbors of a row")
	flag.IntVar(&c.Opts.Divisions, "divisions", 8, "leaves that a row stands in")
	flag.IntVar(&c.Cut.Rows, "shard-rows", 0, "rows that one task reads (default a million, or a sixteenth of all)")
	flag.Int64Var(&c.Memory, "memory", 1<<30, "bytes of memory")
	flag.StringVar(&c.Dir, "scratch", os.TempDir(), "folder for the run")
	flag.StringVar(&workers, "workers", "1,2,4,8,16", "workers to lay the tasks out on, by comma")
	flag.StringVar(&rows, "rows", "", "first rows of the file to measure, some counts by comma (default all)")
	flag.Parse()
	c.Inputs = flag.Args()
	if err := run(&c, workers, rows); err != nil {
		fmt.Fprintln(os.Stderr, "shards:", err)
		os.Exit(1)
	}
}

// numbers reads numbers of 1 or more by comma.
func numbers(name, text string) (counts []int, err error) {
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-%s %q, want numbers such as 1,2,4", name, text)
		}
		counts = append(counts, n)
	}
	return counts, nil
}

func run(c *shards.Config, workers, rows string) error {
	counts, err := numbers("workers", workers)
	if err != nil {
		return err
	}
	firsts := []int{0} // all
	if rows != "" {
		if firsts, err = numbers("rows", rows); err != nil {
			return err
		}
	}
	if len(c.Inputs) == 0 {
		return fmt.Errorf("no file is given")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, c.First = range firsts {
		began := time.Now()
		m, err := c.Do(ctx)
		if err != nil {
			return err
		}
		m.Write(os.Stdout, counts)
		fmt.Printf("\n%.0f s by the clock\n\n", time.Since(began).Seconds())
	}
	return nil
}
