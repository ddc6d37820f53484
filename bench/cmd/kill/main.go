// Command kill builds a graph, then builds it again and again, killing each
// build with SIGKILL at another moment and resuming it, and compares the graphs.
//
//	go run ./bench/cmd/kill -kills 10 sift.u8bin --method paper
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/knng/knng/bench/kill"
)

func main() {
	var c kill.Config
	flag.IntVar(&c.Kills, "kills", 10, "builds to kill")
	flag.IntVar(&c.Each, "each", 1, "kills of each build")
	flag.StringVar(&c.Scratch, "scratch", "", "folder for the graphs")
	flag.StringVar(&c.Binary, "knng", "", "knng binary (default: built now)")
	flag.Parse()
	c.Args = flag.Args()
	if err := run(&c); err != nil {
		fmt.Fprintln(os.Stderr, "kill:", err)
		os.Exit(1)
	}
}

func run(c *kill.Config) error {
	if c.Binary == "" {
		dir, err := os.MkdirTemp(c.Scratch, "knng-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		c.Binary = filepath.Join(dir, "knng")
		build := exec.Command("go", "build", "-o", c.Binary, "./cmd/knng")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return err
		}
	}
	wrong := 0
	var redone []float64
	r, err := c.Run(func(r *kill.Report, o kill.Outcome) {
		same := "equal"
		if o.Checksum != r.Reference {
			same = "DIFFERENT"
			wrong++
		}
		redone = append(redone, o.CPU-r.CPU)
		fmt.Printf("killed after %.1f s in %q, threads %v, finished in %.1f s more: %.1f s of CPU beyond %.1f s without kills, checksum %s\n",
			o.Kills, o.Phases, o.Threads, o.Seconds, o.CPU-r.CPU, r.CPU, same)
	})
	if err != nil {
		return err
	}
	slices.Sort(redone)
	fmt.Printf("%d builds killed, %d wrong; CPU beyond the %.1f s (%.1f s wall) of the build that was not killed: median %.1f s, most %.1f s\n",
		len(r.Outcomes), wrong, r.CPU, r.Seconds, redone[len(redone)/2], redone[len(redone)-1])
	if wrong > 0 {
		return fmt.Errorf("%d graphs differ from %s", wrong, r.Reference)
	}
	return nil
}
