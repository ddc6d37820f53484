// Command kill builds a graph, then builds it again and again, killing each
// build with SIGKILL at random moments and resuming it with other threads and
// another memory limit, and compares the graphs. With -random every build has
// other options.
//
//	go run ./bench/cmd/kill -kills 10 sift.u8bin --method paper
//	go run ./bench/cmd/kill -kills 200 -each 4 -random faces.npy
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/knng/knng/bench/binary"
	"github.com/knng/knng/bench/kill"
)

func main() {
	var c kill.Config
	flag.IntVar(&c.Kills, "kills", 10, "kills in all")
	flag.IntVar(&c.Each, "each", 1, "most kills of one build")
	flag.BoolVar(&c.Random, "random", false, "random options, others for every build")
	flag.Uint64Var(&c.Seed, "seed", 0, "seed of the moments and options (default random)")
	flag.StringVar(&c.Scratch, "scratch", "", "folder for the graphs")
	flag.StringVar(&c.Binary, "knng", "", "knng binary (default: built now)")
	flag.Parse()
	c.Args = flag.Args()
	if c.Seed == 0 {
		c.Seed = rand.Uint64()
	}
	if err := run(&c); err != nil {
		fmt.Fprintln(os.Stderr, "kill:", err)
		os.Exit(1)
	}
}

func run(c *kill.Config) error {
	knng, clean, err := binary.Knng(context.Background(), c.Binary, c.Scratch)
	defer clean()
	if err != nil {
		return err
	}
	c.Binary = knng
	fmt.Printf("seed %d\n", c.Seed)
	var sum kill.Report
	err = c.Run(func(o kill.Outcome) {
		same := "equal"
		if o.Wrong() {
			same = "DIFFERENT"
		}
		sum.Add(&o)
		fmt.Printf("%s: killed after %.1f s in %q, runs %v: %.1f s of CPU beyond %.1f s without kills, checksum %s\n",
			strings.Join(o.Options, " "), o.Kills, o.Phases, o.Runs, o.Redone(), o.Reference.CPU, same)
	})
	sum.Write(os.Stdout)
	if err != nil {
		return err
	}
	if sum.Wrong > 0 {
		return fmt.Errorf("%d graphs differ", sum.Wrong)
	}
	return nil
}
