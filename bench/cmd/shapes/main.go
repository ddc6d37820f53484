// Command shapes builds graphs of many seeded data shapes, compares them with brute
// force, and prints a table. It exits with 1 where a build fell short of its target,
// where a reported interval misses the recall found, or where a build compared more
// pairs than 1.2 times brute force.
//
//	go run ./bench/cmd/shapes -targets 0.95,0.99
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/knng/knng/bench/shapes"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

func main() {
	c := shapes.Config{}
	methods := flag.String("methods", "auto", "comma-separated: auto, exact, balls, parts, paper")
	targets := flag.String("targets", "0.95", "comma-separated recalls")
	flag.Func("only", "shapes whose names match this regular expression", func(s string) (err error) {
		c.Only, err = regexp.Compile(s)
		return err
	})
	flag.Func("metrics", "comma-separated metrics; without it, all of a shape", func(s string) error {
		for _, name := range strings.Split(s, ",") {
			metric, err := distance.ParseMetric(name)
			if err != nil {
				return err
			}
			c.Metrics = append(c.Metrics, metric)
		}
		return nil
	})
	flag.BoolVar(&c.More, "more", false, "shapes that the gate does not build too")
	flag.Float64Var(&c.Scale, "scale", 1, "share of the rows of every shape")
	flag.IntVar(&c.K, "k", builder.DefaultK, "neighbors of a row")
	flag.IntVar(&c.Sample, "sample", 2000, "rows compared by brute force")
	flag.IntVar(&c.Draws, "draws", 0, "above 0: look at all rows, beside a graph of all pairs that brute force confirms, and count\nhow many intervals of so many samples of a graph's rows hold the recall of all")
	flag.IntVar(&c.Builds, "builds", 0, "above 0: make so many builds of each graph, with seeds of their own, and count how many of\ntheir intervals hold the recall of all rows")
	flag.Uint64Var(&c.Seed, "seed", 1, "seed of the data")
	flag.IntVar(&c.Threads, "threads", runtime.GOMAXPROCS(0), "threads")
	flag.StringVar(&c.Scratch, "scratch", "", "folder for the graphs")
	table := flag.String("tsv", "", "write the rows to this file too, as tab-separated values")
	lines := flag.Bool("lines", false, "print the lines that builds tell")
	flag.Parse()
	if *lines {
		c.Lines = os.Stdout
	}
	for _, m := range strings.Split(*methods, ",") {
		c.Methods = append(c.Methods, builder.Method(m))
	}
	for _, t := range strings.Split(*targets, ",") {
		target, err := strconv.ParseFloat(t, 64)
		if err != nil {
			fmt.Fprintf(os.Stderr, "shapes: -targets: %v\n", err)
			os.Exit(2)
		}
		c.Targets = append(c.Targets, target)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	tabs, err := newTabs(*table)
	if err != nil {
		fmt.Fprintf(os.Stderr, "shapes: -tsv: %v\n", err)
		os.Exit(1)
	}
	var all, bad, inside, strictly int
	var held float64
	shapes.Head(os.Stdout)
	err = c.Run(ctx, func(r shapes.Row) {
		r.Print(os.Stdout)
		tabs.add(r)
		all++
		held += r.Held
		if len(r.Faults()) > 0 {
			bad++
		}
		if r.Failure == "" && r.Inside() {
			inside++
			if r.Strictly() {
				strictly++
			}
		}
	})
	err = errors.Join(err, tabs.close())
	fmt.Printf("\n%d graphs, %d with faults; %d intervals hold the recall found, %d of them with no allowance\n", all, bad, inside, strictly)
	if c.Builds > 0 {
		fmt.Printf("of the intervals of %d builds of each graph %.4f hold the recall of all its rows\n", c.Builds, held/float64(max(1, all)))
	} else if c.Draws > 0 {
		fmt.Printf("of the intervals of %d samples of the rows of each graph %.4f hold the recall of all its rows\n", c.Draws, held/float64(max(1, all)))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "shapes: %v\n", err)
	}
	if err != nil || bad > 0 {
		os.Exit(1)
	}
}

// tabs is the file of -tsv, or none. It keeps the first error of a write.
type tabs struct {
	file *os.File
	err  error
}

func newTabs(name string) (*tabs, error) {
	if name == "" {
		return &tabs{}, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return &tabs{f, shapes.HeadTSV(f)}, nil
}

func (t *tabs) add(r shapes.Row) {
	if t.file != nil && t.err == nil {
		t.err = r.Tabs(t.file)
	}
}

func (t *tabs) close() error {
	if t.file == nil {
		return nil
	}
	return errors.Join(t.err, t.file.Close())
}
