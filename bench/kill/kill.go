// Package kill kills real builds with SIGKILL at random moments, resumes them
// with other threads and another memory limit, and compares the graphs with
// those of builds that were left alone.
package kill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// Config is the build and how often to kill it.
type Config struct {
	Binary  string   // knng
	Args    []string // of "knng build", without -o and --threads
	Random  bool     // add random options to Args, others for every build
	Kills   int      // kills in all; a build that ends before its moment is none
	Each    int      // most kills of one build
	Seed    uint64   // of the moments and options
	Scratch string
}

// Outcome is one build that was killed and resumed.
type Outcome struct {
	Options   []string  // drawn for it
	Kills     []float64 // seconds after which it was killed
	Phases    []string  // what it was doing
	Runs      []string  // threads and memory limit of each run, the last one's included
	CPU       float64   // seconds of all runs
	Checksum  string
	Reference Reference // the same build, left alone
}

// Reference is a build that was left alone.
type Reference struct {
	Checksum string
	Seconds  float64 // wall time
	CPU      float64
}

// Wrong reports whether the graphs differ.
func (o *Outcome) Wrong() bool { return o.Checksum != o.Reference.Checksum }

// Redone is the CPU time in seconds that kills cost: all beyond the reference.
func (o *Outcome) Redone() float64 { return o.CPU - o.Reference.CPU }

// Run kills build after build, telling each outcome to done.
func (c *Config) Run(done func(Outcome)) error {
	dir, err := os.MkdirTemp(c.Scratch, "kill-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	rng := rand.New(rand.NewPCG(c.Seed, 0))
	var ref Reference
	for kills := 0; kills < c.Kills; {
		o := Outcome{}
		if c.Random {
			o.Options = options(rng)
		}
		if c.Random || kills == 0 {
			if ref, err = c.reference(filepath.Join(dir, "reference"), o.Options); err != nil {
				return fmt.Errorf("%v: %w", o.Options, err)
			}
		}
		o.Reference = ref
		if err := c.one(rng, filepath.Join(dir, "killed"), &o, min(c.Each, c.Kills-kills)); err != nil {
			return fmt.Errorf("%v: %w", o.Options, err)
		}
		kills += len(o.Kills)
		done(o)
	}
	return nil
}

// options draws the options of one build, those that name its result and others.
func options(rng *rand.Rand) []string {
	list := []string{"-k", strconv.Itoa(1 + rng.IntN(30)), "--seed", strconv.Itoa(1 + rng.IntN(1000))}
	metrics := []string{"euclidean", "sqeuclidean", "cosine", "ip"}
	method := pick(rng, "exact", "paper", "balls", "balls", "parts")
	switch method {
	case "balls":
		metrics = metrics[:3]
		list = append(list, pick(rng,
			[]string{"--recall", fmt.Sprintf("%.3f", 0.8+0.19*rng.Float64())},
			[]string{"--divisions", strconv.Itoa(1 + rng.IntN(12)), "--rounds", strconv.Itoa(1 + rng.IntN(3))})...)
	case "parts":
		metrics = metrics[:3]
		list = append(list, "--divisions", strconv.Itoa(1+rng.IntN(12)))
	case "paper":
		list = append(list, "--divisions", strconv.Itoa(1+rng.IntN(6)), "--rounds", strconv.Itoa(1+rng.IntN(2)),
			"--visits", strconv.Itoa(100+rng.IntN(400)), "--pairwise", pick(rng, "on", "off"))
	}
	list = append(list, "--method", method, "--metric", pick(rng, metrics...), "--pair-cache", pick(rng, "auto", "on", "off"))
	same := [][]string{
		{"--vectors", "reference"}, // which leaves no room for what collapses
		{"--duplicates", "keep"},
		{"--duplicates", "collapse"},
		{"--duplicates", "collapse", "--copies", "1"},
	}
	if method == "parts" {
		same = same[:2] // it does not collapse
	}
	return append(list, pick(rng, same...)...)
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// run draws the options that may change between runs: threads and memory.
func run(rng *rand.Rand) []string {
	return []string{"--threads", strconv.Itoa(1 + rng.IntN(4)), "--memory", pick(rng, "1GiB", "1500MiB", "3GiB")}
}

func (c *Config) reference(dir string, options []string) (r Reference, err error) {
	defer os.RemoveAll(dir)
	began := time.Now()
	r.Checksum, r.CPU, err = c.finish(dir, options)
	r.Seconds = time.Since(began).Seconds()
	return r, err
}

// one kills a build up to most times, each at a random moment of the time that
// the whole takes, and finishes it.
func (c *Config) one(rng *rand.Rand, dir string, o *Outcome, most int) (err error) {
	defer os.RemoveAll(dir)
	for range most {
		how := run(rng)
		after := time.Duration(rng.Float64() * o.Reference.Seconds * float64(time.Second))
		phase, cpu, finished, err := c.kill(dir, slices.Concat(o.Options, how), after)
		if err != nil {
			return err
		}
		o.CPU += cpu
		o.Runs = append(o.Runs, fmt.Sprint(how))
		if finished {
			break
		}
		o.Kills, o.Phases = append(o.Kills, after.Seconds()), append(o.Phases, phase)
	}
	how := run(rng)
	o.Runs = append(o.Runs, fmt.Sprint(how))
	var cpu float64
	o.Checksum, cpu, err = c.finish(dir, slices.Concat(o.Options, how))
	o.CPU += cpu
	return err
}

// cpuOf is the processor time of an ended process.
func cpuOf(cmd *exec.Cmd) float64 {
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

func (c *Config) command(dir string, more ...string) *exec.Cmd {
	return exec.Command(c.Binary, slices.Concat([]string{"build", "-o", dir}, c.Args, more)...)
}

// kill starts a build and kills it; finished is true where it was done before.
func (c *Config) kill(dir string, options []string, after time.Duration) (phase string, cpu float64, finished bool, err error) {
	cmd := c.command(dir, append(options, "--progress", "json")...)
	var progress bytes.Buffer
	cmd.Stderr = &progress
	if err := cmd.Start(); err != nil {
		return "", 0, false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return "", 0, false, fmt.Errorf("%w: %s", err, progress.Bytes())
		}
		return "finished", cpuOf(cmd), true, nil
	case <-time.After(after):
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return "", 0, false, err
	}
	<-ended
	return lastPhase(progress.Bytes()), cpuOf(cmd), cmd.ProcessState.Success(), nil
}

// lastPhase is the phase of the last progress line.
func lastPhase(lines []byte) (phase string) {
	phase = "start"
	for line := range bytes.Lines(lines) {
		var e struct{ Phase string }
		if json.Unmarshal(line, &e) == nil && e.Phase != "" {
			phase = e.Phase
		}
	}
	return phase
}

// finish runs a build to its end and returns the checksum and the CPU seconds.
func (c *Config) finish(dir string, options []string) (checksum string, cpu float64, err error) {
	cmd := c.command(dir, append(options, "--json", "--progress", "none")...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", 0, fmt.Errorf("%w: %s", err, errs.Bytes())
	}
	var result struct{ Checksum string }
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		return "", 0, err
	}
	return result.Checksum, cpuOf(cmd), nil
}
