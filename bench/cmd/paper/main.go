// Command paper reproduces the experiments of Wang et al., "Scalable k-NN graph
// construction": every system that the paper compares, over a grid of parameters. It
// writes a page of claims with their verdicts, and a page of the tables behind them.
//
//	go run ./bench/cmd/paper -out bench/results -budget 45m caltech101-sift-1M.u8bin cifar10-gist384-60K.npy
//	go run ./bench/cmd/paper -out quick --quick F.u8bin     # under ten minutes, on few rows
//
// Runs that the folder holds already are not run again: after an interruption give
// the same command. With -budget 45m no build is begun that would end later; the
// rest, and about how long it will take, is printed at the end, and the same command goes
// on with it. With -estimate nothing else is done. With -again the runs are made again
// that were made while a fixed piece of work took over 1.5 times as long as in good hours.
// With -stages "finer grids" only parts of the schedule are run. knng's builds write stores
// into -scratch: on a memory disk they pay for no syncing, as the other systems pay for none.
// With -page nothing is run, and the pages are made anew.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/knng/knng/bench/paper"
)

func main() {
	c := paper.Config{Commit: commit(), Command: command(os.Args[1:])}
	flag.StringVar(&c.Out, "out", "", "folder for runs, figures and the page")
	flag.BoolVar(&c.Quick, "quick", false, "few rows, few settings, one seed: its times are not results")
	flag.StringVar(&c.Scratch, "scratch", "", "folder for temporary files")
	flag.IntVar(&c.Threads, "threads", 1, "threads of the systems that have more than one")
	flag.DurationVar(&c.Time, "budget", 0, "begin no build that would end later than this (default: with -quick 8m, else no limit)")
	flag.BoolVar(&c.DryRun, "estimate", false, "say how much there is to do, and do nothing")
	flag.BoolVar(&c.Again, "again", false, "make the runs again that were made when the machine was slower than in its good hours")
	stages := flag.String("stages", "", "parts of the schedule, by a regular expression that their names match; -estimate names them")
	only := flag.String("only", "", "systems, separated by commas")
	page := flag.Bool("page", false, "make the page from the runs that are there")
	flag.Parse()
	if *only != "" {
		c.Only = strings.Split(*only, ",")
	}
	if *stages != "" {
		var err error
		if c.Stages, err = regexp.Compile(*stages); err != nil {
			fmt.Fprintln(os.Stderr, "paper: -stages:", err)
			os.Exit(2)
		}
	}
	c.Files = flag.Args()
	c.Say = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, &c, *page); err != nil {
		fmt.Fprintln(os.Stderr, "paper:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, c *paper.Config, pageOnly bool) error {
	if c.Out == "" {
		return fmt.Errorf("-out names the folder for the results")
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return err
	}
	if pageOnly {
		log, err := paper.OpenLog(filepath.Join(c.Out, "runs.jsonl"))
		if err != nil {
			return err
		}
		return c.Page(log)
	}
	if len(c.Files) == 0 {
		return fmt.Errorf("no vector files given")
	}
	log, err := c.Run(ctx)
	if err != nil || c.DryRun {
		return err
	}
	return c.Page(log)
}

// command is the command line without the folders of this machine and without its budget,
// which does not change results.
func command(args []string) string {
	all := []string{"go run ./bench/cmd/paper"}
	for i, arg := range args {
		name := strings.TrimLeft(arg, "-")
		if strings.HasPrefix(name, "budget=") || name == "budget" && arg != name || i > 0 && strings.TrimLeft(args[i-1], "-") == "budget" {
			continue
		}
		if filepath.IsAbs(arg) {
			arg = filepath.Base(arg)
		}
		all = append(all, arg)
	}
	return strings.Join(all, " ")
}

// commit names the state of the sources, without the files that runs write.
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	head := strings.TrimSpace(string(out))
	if changed, err := exec.Command("git", "status", "--porcelain", "--", ".", ":!bench/results").Output(); err != nil || len(changed) > 0 {
		return head + "-dirty"
	}
	return head
}
