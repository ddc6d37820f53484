// Command larger builds graphs of data larger than memory and prints their
// cost: in a memory cgroup that counts page cache, and without it, in turn. It
// needs root, and drops the machine's page cache before each run.
//
//	go run ./bench/cmd/larger -out results -cap 512MiB g20M.u8bin -k 10
//	go run ./bench/cmd/larger -out curve -cap 512MiB -curve 1M,2M,5M,10M,20M g20M.u8bin -k 10
//	go run ./bench/cmd/larger -out peers -cap 512MiB -peers pynndescent,faiss-ondisk,hnswlib -python venv/bin/python g20M.u8bin
//	go run ./bench/cmd/larger -cap 64MiB -run -- some command
//
// Arguments after the file are flags of knng build. Runs that the folder holds
// (runs.jsonl) are not run again: after an interruption give the same command.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/knng/knng/bench/binary"
	"github.com/knng/knng/bench/capped"
	"github.com/knng/knng/bench/larger"
)

// modes are the tasks other than sides.
type modes struct {
	curve, peers string
	run          bool
}

func main() {
	c := larger.Config{}
	var m modes
	var limit string
	flag.StringVar(&limit, "cap", "512MiB", "memory of the cgroup, such as 512MiB; 0: none")
	flag.StringVar(&c.Memory, "memory", "", "knng's --memory within it (default: knng's own choice)")
	flag.StringVar(&c.Out, "out", "", "folder for results")
	flag.StringVar(&c.Scratch, "scratch", "", "folder for graphs")
	flag.StringVar(&c.Knng, "knng", "", "knng binary (default: built now)")
	flag.IntVar(&c.Repeats, "repeats", 1, "runs of every side")
	flag.BoolVar(&c.Warm, "warm", false, "leave the page cache as it is")
	flag.IntVar(&c.Nice, "nice", 0, "niceness added to what is run")
	flag.DurationVar(&c.Timeout, "timeout", 0, "kill what takes longer, such as 2h")
	flag.StringVar(&c.Truth, "truth", "", "exact lists (.gt)")
	flag.StringVar(&c.Rows, "rows", "", "their rows (.rows.ibin)")
	flag.StringVar(&m.curve, "curve", "", "numbers of rows, such as 1M,2M: a cost curve, drawn to curve.svg")
	flag.StringVar(&m.peers, "peers", "", "other builders: pynndescent, faiss-ondisk, faiss-ivf, faiss-hnsw, hnswlib, hnswlib-batches")
	flag.BoolVar(&m.run, "run", false, "run any command and print its outcome as JSON")
	flag.StringVar(&c.Python, "python", "python3", "interpreter with bench/peers/scripts/requirements.txt")
	flag.StringVar(&c.Scripts, "scripts", "bench/peers/scripts", "folder of peer.py")
	flag.IntVar(&c.K, "k", 10, "neighbors that peers are asked for")
	flag.IntVar(&c.Threads, "threads", runtime.GOMAXPROCS(0), "threads of peers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, &c, m, limit); err != nil {
		fmt.Fprintln(os.Stderr, "larger:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, c *larger.Config, m modes, limit string) (err error) {
	if c.Cap, err = number(limit); err != nil {
		return fmt.Errorf("-cap: %w", err)
	}
	switch {
	case m.run:
		return one(ctx, c)
	case flag.NArg() == 0:
		return errors.New("no vector file given")
	case c.Out == "":
		return errors.New("-out names the folder for results")
	}
	c.Data, c.Flags = flag.Arg(0), flag.Args()[1:]
	if m.peers == "" {
		knng, clean, err := binary.Knng(ctx, c.Knng, c.Scratch)
		defer clean()
		if err != nil {
			return err
		}
		c.Knng = knng
	}
	var runs []larger.Run
	larger.Header(os.Stdout)
	c.Done = func(r larger.Run) {
		larger.Print(os.Stdout, r)
		runs = append(runs, r)
	}
	return study(ctx, c, m, &runs)
}

// study does the runs that the flags name and prints the results of all runs.
func study(ctx context.Context, c *larger.Config, m modes, runs *[]larger.Run) error {
	if m.peers != "" {
		return c.Peers(ctx, strings.Split(m.peers, ","))
	}
	if m.curve != "" {
		var counts []int
		for _, s := range strings.Split(m.curve, ",") {
			n, err := number(s)
			if err != nil {
				return fmt.Errorf("-curve: %w", err)
			}
			counts = append(counts, int(n))
		}
		if err := c.Curve(ctx, counts); err != nil {
			return err
		}
		phases(*runs)
		return larger.Draw(filepath.Join(c.Out, "curve"), *runs)
	}
	if c.Cap == 0 {
		return errors.New("-cap 0: both sides would be one")
	}
	if err := c.Sides(ctx); err != nil {
		return err
	}
	phases(*runs)
	larger.PrintSides(os.Stdout, *runs)
	return nil
}

func phases(runs []larger.Run) {
	for _, r := range runs {
		larger.PrintPhases(os.Stdout, r)
	}
}

// one runs the command that the arguments are.
func one(ctx context.Context, c *larger.Config) error {
	config := capped.Config{Args: flag.Args(), Cap: c.Cap, Cold: !c.Warm, Nice: c.Nice, Folder: c.Scratch, Timeout: c.Timeout}
	o, err := config.Run(ctx)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(o)
}

// number reads 512MiB, 2GiB, 64KiB (powers of two) and 20M, 2k, 1G (of ten).
func number(s string) (int64, error) {
	digits := strings.TrimRight(s, "kKMGiB")
	unit, ok := map[string]int64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[s[len(digits):]]
	n, err := strconv.ParseInt(digits, 10, 40)
	if !ok || err != nil || n < 0 {
		return 0, fmt.Errorf("%q, want a number such as 512MiB or 20M", s)
	}
	return n * unit, nil
}
