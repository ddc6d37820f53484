// Command peers runs knng and other builders of k-NN graphs in turn on the same
// rows and cores, and compares their times at equal recall, for any file. The
// figures that are asked of knng are command speed's.
//
//	python3 -m venv venv && venv/bin/pip install -r bench/peers/scripts/requirements.txt
//	go run ./bench/cmd/peers -python venv/bin/python -truth F.gt -rows F.rows.ibin -json runs.json -plot runs F.u8bin
//
// Given again with the same -json, it goes on; runs that are there are not run again.
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
	"strings"
	"syscall"
	"time"

	"github.com/knng/knng/bench/binary"
	"github.com/knng/knng/bench/peers"
)

// config is the flags.
type config struct {
	peers.Config
	comparison            peers.Comparison
	set                   peers.Set
	only, lines, plot, at string
	budget                time.Duration
}

func main() {
	var c config
	flag.StringVar(&c.set.Truth, "truth", "", "exact lists (.gt); none: those of a sample are searched for")
	flag.StringVar(&c.set.Rows, "rows", "", "their rows (.rows.ibin)")
	flag.IntVar(&c.set.Limit, "limit-rows", 0, "take the first rows only, judged by a sample of them")
	flag.IntVar(&c.comparison.K, "k", 20, "neighbors of a row")
	flag.IntVar(&c.comparison.Threads, "threads", runtime.GOMAXPROCS(0), "threads")
	flag.IntVar(&c.comparison.Repeats, "repeats", 5, "runs of the settings that may decide")
	flag.StringVar(&c.Python, "python", "python3", "interpreter with bench/peers/scripts/requirements.txt")
	flag.StringVar(&c.Scripts, "scripts", "bench/peers/scripts", "folder of peer.py")
	flag.StringVar(&c.Knng, "knng", "", "knng binary (default: built now)")
	flag.StringVar(&c.Scratch, "scratch", "", "folder for graphs and lists")
	flag.DurationVar(&c.Timeout, "timeout", 0, "of a run; 0 is none")
	flag.DurationVar(&c.budget, "budget", 0, "begin no run that would not be done by then; 0 is no limit")
	flag.StringVar(&c.only, "only", "", "sides, separated by commas")
	flag.StringVar(&c.lines, "json", "", "keep runs in this file, one JSON line each")
	flag.StringVar(&c.plot, "plot", "", "draw recall against time to this path, as .svg and .png")
	flag.StringVar(&c.at, "at", "0.90,0.95,0.99", "recalls to compare at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := c.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		stop()
		os.Exit(1)
	}
}

// recalls are those to compare at.
func (c *config) recalls() (at []float64, err error) {
	for _, s := range strings.Split(c.at, ",") {
		var x float64
		if _, err := fmt.Sscan(s, &x); err != nil {
			return nil, fmt.Errorf("-at %q: %w", s, err)
		}
		at = append(at, x)
	}
	return at, nil
}

func (c *config) run(ctx context.Context) error {
	at, err := c.recalls()
	if err != nil {
		return err
	}
	knng, clean, err := binary.Knng(ctx, c.Knng, c.Scratch)
	defer clean()
	if err != nil {
		return err
	}
	c.Knng = knng
	if c.only != "" {
		c.comparison.Only = strings.Split(c.only, ",")
	}
	if c.budget > 0 {
		c.Until = time.Now().Add(c.budget)
	}
	c.Done = func(p peers.Point) { peers.PrintPoint(os.Stderr, p) }
	if c.Log, err = peers.OpenLog(c.lines); err != nil {
		return err
	}
	c.set.Path, c.set.Name = flag.Arg(0), filepath.Base(flag.Arg(0))
	r, err := c.On(c.set)
	if err != nil {
		return err
	}
	defer r.Close()
	peers.PrintHead(os.Stdout)
	short := c.comparison.Run(ctx, r)
	if short != nil && !errors.Is(short, peers.ErrBudget) {
		return short
	}
	points := c.comparison.Points(r)
	peers.PrintSettings(os.Stdout, points)
	peers.PrintRatios(os.Stdout, points, at)
	peers.PrintParts(os.Stdout, points, at)
	if c.plot != "" {
		err = peers.Draw(c.plot, points)
	}
	return errors.Join(short, err)
}
