// Command speed measures how fast knng builds, figure by figure, and prints tables.
// Runs are kept in OUT/runs.jsonl: the same command goes on, and does not repeat
// runs. A folder belongs to one machine and one knng.
//
//	python3 -m venv venv && venv/bin/pip install -r bench/peers/scripts/requirements.txt
//	go run ./bench/cmd/speed -data ../shared/data -python venv/bin/python -out OUT -budget 30m
//	go run ./bench/cmd/speed -data ../shared/data -python venv/bin/python -out OUT -figure 1 -sets gist,mnist
//	go run ./bench/cmd/speed -data ../shared/data -out OUT -budget 1ns    # tables of the runs so far
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/knng/knng/bench/binary"
	"github.com/knng/knng/bench/peers"
	"github.com/knng/knng/bench/speed"
)

// config is the flags.
type config struct {
	speed         speed.Config
	run           peers.Config
	out           string
	figures, sets string
	only          string
	budget        time.Duration
}

func main() {
	var c config
	var known []string
	for _, f := range speed.Figures {
		known = append(known, f.Name+": "+f.About)
	}
	flag.StringVar(&c.figures, "figure", "", "figures, separated by commas; none is all\n"+strings.Join(known, "\n"))
	flag.StringVar(&c.speed.Data, "data", os.Getenv("KNNG_DATA"), "folder of the sets (default KNNG_DATA)")
	flag.StringVar(&c.out, "out", "speed", "folder for runs, pictures and generated sets")
	flag.StringVar(&c.sets, "sets", "", "gist, mnist, sift, separated by commas: those of figure 1 (default all)")
	flag.StringVar(&c.only, "only", "", "sides of figures 1 and 6, separated by commas: knng, pynndescent, ...; none is all")
	flag.IntVar(&c.speed.K, "k", 20, "neighbors of a row, where a figure does not say")
	flag.IntVar(&c.speed.Threads, "threads", runtime.GOMAXPROCS(0), "threads")
	flag.IntVar(&c.speed.Repeats, "repeats", 5, "runs of a setting")
	flag.IntVar(&c.speed.Limit, "limit-rows", 0, "take the first rows only, to try things out")
	flag.DurationVar(&c.budget, "budget", 0, "begin no run that would not be done by then; 0 is no limit")
	flag.DurationVar(&c.run.Timeout, "timeout", 10*time.Minute, "of a run")
	flag.StringVar(&c.run.Python, "python", "python3", "interpreter with bench/peers/scripts/requirements.txt")
	flag.StringVar(&c.run.Scripts, "scripts", "bench/peers/scripts", "folder of peer.py")
	flag.StringVar(&c.run.Knng, "knng", "", "knng binary (default: built now)")
	flag.StringVar(&c.run.Scratch, "scratch", "", "folder for graphs and lists")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := c.measure(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		stop()
		os.Exit(1)
	}
}

// prepare makes the files that the flags do not name.
func (c *config) prepare(ctx context.Context) (clean func(), err error) {
	clean = func() {}
	if flag.NArg() > 0 {
		return clean, fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err := os.MkdirAll(c.out, 0o777); err != nil {
		return clean, err
	}
	c.speed.Run, c.speed.Made, c.speed.Plot, c.speed.Out = &c.run, c.out, c.out, os.Stdout
	c.speed.Sets, c.speed.Only = list(c.sets), list(c.only)
	if c.run.Log, err = peers.OpenLog(filepath.Join(c.out, "runs.jsonl")); err != nil {
		return clean, err
	}
	if c.run.Knng, clean, err = binary.Knng(ctx, c.run.Knng, c.run.Scratch); err != nil {
		return clean, err
	}
	if c.budget > 0 {
		c.run.Until = time.Now().Add(c.budget)
	}
	c.run.Done = func(p peers.Point) { peers.PrintPoint(os.Stderr, p) }
	return clean, nil
}

func (c *config) measure(ctx context.Context) error {
	clean, err := c.prepare(ctx)
	defer clean()
	if err != nil {
		return err
	}
	peers.PrintHead(os.Stdout)
	chosen := list(c.figures)
	for _, f := range speed.Figures {
		if len(chosen) > 0 && !slices.Contains(chosen, f.Name) {
			continue
		}
		err := c.speed.Measure(ctx, f.Name)
		if errors.Is(err, peers.ErrBudget) {
			fmt.Fprintf(os.Stdout, "\nFigure %s is not complete: %v\n", f.Name, err)
			err = nil
		}
		if err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
	}
	return nil
}

// list takes names apart; none of "".
func list(names string) []string {
	return strings.FieldsFunc(names, func(r rune) bool { return r == ',' })
}
