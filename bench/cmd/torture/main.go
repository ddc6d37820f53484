// Command torture attacks the knng command: kills, failing system calls, damage, swapped and
// replaced files, forged stores, full disks, two builders. Package bench/torture says which
// promise is held. Every failure is a file that repeats it.
//
//	go run ./bench/cmd/torture -for 30m
//	go run ./bench/cmd/torture -replay torture-7-1234.failure
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/knng/knng/bench/binary"
	"github.com/knng/knng/bench/torture"
)

func main() {
	c := torture.Config{Log: os.Stdout}
	replay := flag.String("replay", "", "file of a failure: repeat it")
	flag.DurationVar(&c.For, "for", 0, "time to go on for (default until -cases are done, or half an hour)")
	flag.IntVar(&c.Cases, "cases", 0, "cases to run")
	flag.Uint64Var(&c.Seed, "seed", 0, "seed of all choices (default random)")
	flag.Uint64Var(&c.First, "first", 0, "number of the first case")
	flag.StringVar(&c.Folder, "scratch", os.TempDir(), "folder for inputs and stores")
	flag.StringVar(&c.Failures, "failures", ".", "folder for files of failures")
	flag.StringVar(&c.Knng, "knng", "", "knng binary (default: built now)")
	flag.DurationVar(&c.Patience, "patience", 0, "time after which a command hangs (default a minute)")
	flag.Parse()
	if err := run(&c, *replay); err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

func run(c *torture.Config, replay string) error {
	knng, clean, err := binary.Knng(context.Background(), c.Knng, "")
	defer clean()
	if err != nil {
		return err
	}
	c.Knng = knng
	if replay != "" {
		return again(c, replay)
	}
	if c.Seed == 0 {
		c.Seed = rand.Uint64()
	}
	if c.Cases == 0 && c.For == 0 {
		c.For = 30 * 60e9
	}
	fmt.Printf("seed %d, cases from %d\n", c.Seed, c.First)
	report, err := c.Run()
	if report != nil {
		report.Write(os.Stdout)
		fmt.Printf("next case: %d\n", report.Next)
	}
	if err == nil && report.Wrong() > 0 {
		err = fmt.Errorf("%d cases broke the promise", report.Wrong())
	}
	return err
}

func again(c *torture.Config, path string) error {
	s, err := c.Replay(path)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s of %s: %q\n", s.Kind, s.Build, s.Input, s.Did)
	for _, wrong := range s.Wrong {
		fmt.Println(" ", wrong)
	}
	if len(s.Wrong) > 0 {
		return fmt.Errorf("%s: wrong still", path)
	}
	fmt.Println("all is right now")
	return nil
}
