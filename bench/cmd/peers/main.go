// Command peers runs knng and other builders of k-NN graphs in turn on the same
// rows and cores, and compares their times at equal recall.
//
//	python3 -m venv venv && venv/bin/pip install -r bench/peers/scripts/requirements.txt
//	go run ./bench/cmd/peers -python venv/bin/python -truth F.gt -rows F.rows.ibin -json runs.json -plot runs F.u8bin
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/knng/knng/bench/peers"
)

func main() {
	var c peers.Config
	flag.StringVar(&c.Truth, "truth", "", "exact lists (.gt)")
	flag.StringVar(&c.Rows, "rows", "", "their rows (.rows.ibin)")
	flag.IntVar(&c.K, "k", 20, "neighbors of a row")
	flag.IntVar(&c.Threads, "threads", runtime.GOMAXPROCS(0), "threads")
	flag.IntVar(&c.Repeats, "repeats", 5, "runs of every setting")
	flag.StringVar(&c.Python, "python", "python3", "interpreter with bench/peers/scripts/requirements.txt")
	flag.StringVar(&c.Scripts, "scripts", "bench/peers/scripts", "folder of peer.py")
	flag.StringVar(&c.Knng, "knng", "", "knng binary (default: built now)")
	flag.StringVar(&c.Scratch, "scratch", "", "folder for graphs and lists")
	only := flag.String("only", "", "peers, separated by commas")
	lines := flag.String("json", "", "append one JSON line a run to this file")
	picture := flag.String("plot", "", "draw recall against time to this path, as .svg and .png")
	recalls := flag.String("at", "0.90,0.95,0.99", "recalls to compare at")
	flag.Parse()
	if *only != "" {
		c.Only = strings.Split(*only, ",")
	}
	c.Data = flag.Arg(0)
	if err := run(&c, *lines, *recalls, *picture); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(c *peers.Config, lines, recalls, picture string) error {
	var at []float64
	for _, s := range strings.Split(recalls, ",") {
		var x float64
		if _, err := fmt.Sscan(s, &x); err != nil {
			return fmt.Errorf("-at %q: %w", s, err)
		}
		at = append(at, x)
	}
	if c.Knng == "" {
		dir, err := os.MkdirTemp(c.Scratch, "knng-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		c.Knng = filepath.Join(dir, "knng")
		build := exec.Command("go", "build", "-o", c.Knng, "./cmd/knng")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return err
		}
	}
	var points []peers.Point
	peers.PointHeader(os.Stdout)
	err := c.Run(func(p peers.Point) {
		peers.PrintPoint(os.Stdout, p)
		points = append(points, p)
		if err := appendLine(lines, p); err != nil {
			fmt.Fprintln(os.Stderr, "peers:", err)
		}
	})
	if err != nil {
		return err
	}
	peers.PrintRatios(os.Stdout, points, at)
	if picture == "" {
		return nil
	}
	return peers.Draw(picture, points)
}

func appendLine(path string, p peers.Point) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(p)
}
