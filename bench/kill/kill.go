// Package kill kills real builds with SIGKILL at moments spread over their whole
// run, resumes them with another number of threads, and compares the graphs.
package kill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// Config says what to build and how often to kill it.
type Config struct {
	Binary  string   // knng
	Args    []string // of "knng build", without -o and --threads
	Kills   int      // builds that are killed, each once more than the one before it at most Each times
	Each    int      // kills of each build
	Scratch string
}

// Outcome is one build that was killed and resumed.
type Outcome struct {
	Kills    []float64 // seconds after which it was killed
	Phases   []string  // what it was doing
	Seconds  float64   // of the run that finished it
	CPU      float64   // seconds of all runs: what does not depend on their threads
	Checksum string
	Threads  []int
}

// Report is all of them.
type Report struct {
	Reference string  // checksum of the build that was not killed
	Seconds   float64 // wall time of it
	CPU       float64
	Outcomes  []Outcome
}

// Run makes the reference and then the kills, telling each outcome to done.
func (c *Config) Run(done func(ref *Report, o Outcome)) (*Report, error) {
	dir, err := os.MkdirTemp(c.Scratch, "kill-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := new(Report)
	began := time.Now()
	if r.Reference, r.CPU, err = c.finish(filepath.Join(dir, "reference"), 2); err != nil {
		return nil, err
	}
	r.Seconds = time.Since(began).Seconds()
	for i := range c.Kills {
		o, err := c.one(filepath.Join(dir, strconv.Itoa(i)), i, r.Seconds)
		if err != nil {
			return nil, err
		}
		r.Outcomes = append(r.Outcomes, o)
		done(r, o)
		os.RemoveAll(filepath.Join(dir, strconv.Itoa(i)))
	}
	return r, nil
}

// one kills a build Each times, the first time at its share of the whole, then
// at the same distance again, and finishes it, with one and two threads in turn.
func (c *Config) one(dir string, i int, whole float64) (o Outcome, err error) {
	share := (float64(i) + 0.5) / float64(c.Kills) / float64(c.Each)
	for j := range c.Each {
		threads := 1 + (i+j)%2
		after := time.Duration(share * whole * 2 / float64(threads) * float64(time.Second))
		phase, cpu, finished, err := c.kill(dir, threads, after)
		if err != nil {
			return o, err
		}
		o.Threads, o.Kills, o.Phases = append(o.Threads, threads), append(o.Kills, after.Seconds()), append(o.Phases, phase)
		o.CPU += cpu
		if finished {
			break
		}
	}
	threads := 1 + (i+c.Each)%2
	o.Threads = append(o.Threads, threads)
	began := time.Now()
	var cpu float64
	o.Checksum, cpu, err = c.finish(dir, threads)
	o.Seconds = time.Since(began).Seconds()
	o.CPU += cpu
	return o, err
}

// cpuOf is what an ended process took.
func cpuOf(cmd *exec.Cmd) float64 {
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

func (c *Config) command(dir string, threads int, more ...string) *exec.Cmd {
	args := append([]string{"build", "-o", dir, "--threads", strconv.Itoa(threads)}, c.Args...)
	return exec.Command(c.Binary, append(args, more...)...)
}

// kill starts a build and kills it; finished is true where it was done before.
func (c *Config) kill(dir string, threads int, after time.Duration) (phase string, cpu float64, finished bool, err error) {
	cmd := c.command(dir, threads, "--progress", "json")
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
	return lastPhase(progress.Bytes()), cpuOf(cmd), false, nil
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
func (c *Config) finish(dir string, threads int) (checksum string, cpu float64, err error) {
	cmd := c.command(dir, threads, "--json", "--progress", "none")
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
