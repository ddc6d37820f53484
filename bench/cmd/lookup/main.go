// Command lookup measures the time of lookups in a store, cold and warm, and
// their memory: by the store's view, through Pebble, and in a mapped array
// of the same lists, which is the limit.
//
//	go run ./bench/cmd/lookup photos.knng
//	go run ./bench/cmd/lookup -generate 50000000 -k 20 /big/disk/lists.knng
//
// Give it a memory limit that counts the page cache (a cgroup's) for a store
// larger than memory. Each measurement is a process of its own.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/knng/knng/bench/lookup"
	"github.com/knng/knng/store"
)

func main() {
	var m measurement
	flag.IntVar(&m.warm, "warm", 1000000, "lookups with the files in the page cache")
	flag.IntVar(&m.cold, "cold", 5000, "lookups after their pages were dropped")
	flag.IntVar(&m.goroutines, "goroutines", 1, "that look rows up at once, with the files in the page cache")
	flag.IntVar(&m.generate, "generate", 0, "make a store of this many random lists first, where there is none")
	flag.IntVar(&m.k, "k", 20, "their length")
	flag.Uint64Var(&m.seed, "seed", 1, "of the rows that are asked for, and of the lists that are made")
	flag.StringVar(&m.scratch, "scratch", "", "folder for the array")
	flag.BoolVar(&m.json, "json", false, "print JSON lines")
	one := flag.String("one", "", "for this command's own processes: one measurement, JSON")
	flag.Parse()
	var err error
	switch {
	case *one != "":
		err = measure(*one)
	case flag.NArg() != 1:
		err = errors.New("give one store")
	default:
		err = m.run(flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lookup:", err)
		os.Exit(1)
	}
}

// measure does one measurement in this process.
func measure(config string) error {
	var c lookup.Config
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		return err
	}
	r, err := c.Run()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// measurement is the flags.
type measurement struct {
	warm, cold, goroutines, generate, k int
	seed                                uint64
	scratch                             string
	json                                bool
}

func (m *measurement) run(dir string) error {
	if state, err := store.StateOf(dir); err != nil {
		return err
	} else if m.generate > 0 && state == store.Absent {
		if err := lookup.Generate(dir, m.generate, m.k, m.seed); err != nil {
			return err
		}
	}
	scratch, err := os.MkdirTemp(m.scratch, "knng-lookup-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	array := filepath.Join(scratch, "array")
	if err := lookup.WriteArray(dir, array); err != nil {
		return err
	}
	if !m.json {
		lookup.Header(os.Stdout)
	}
	for _, cold := range []bool{false, true} {
		for _, sequential := range []bool{false, true} {
			for _, way := range lookup.Ways {
				c := lookup.Config{Dir: dir, Way: way, Array: array, Cold: cold, Sequential: sequential, Lookups: m.warm, Goroutines: m.goroutines, Seed: m.seed}
				if cold {
					c.Lookups = m.cold
				}
				if err := m.one(c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// one does one measurement in a process of its own.
func (m *measurement) one(c lookup.Config) error {
	config, err := json.Marshal(c)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self, "-one", string(config))
	child.Stderr = os.Stderr
	line, err := child.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", c.Way, err)
	}
	if m.json {
		_, err = os.Stdout.Write(line)
		return err
	}
	r := new(lookup.Report)
	if err := json.Unmarshal(line, r); err != nil {
		return err
	}
	lookup.PrintRow(os.Stdout, r)
	return nil
}
