// Package shards measures the tasks of a build by many machines, one after the other on this one, beside
// their plan, and lays them out on machines that are not here.
package shards

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/shards"
	"github.com/knng/knng/vectors"
)

// Config is a build to measure.
type Config struct {
	Inputs []string
	Opts   builder.Options
	Cut    shards.Cut
	Dir    string // folder for the run, which is removed
	Memory int64  // bytes of the worker; 0: the default
	First  int    // rows, of which a copy is made in Dir; 0: all, as they are
}

// A Task is one that was done.
type Task struct {
	Stage   string
	Seconds float64 // of one core
}

// A Measure is a plan, and the tasks of a build in waves: those of one wave need nothing of each other and are
// awaited before the next.
type Measure struct {
	Plan  shards.Plan
	Rows  int
	Pairs int64 // of leaves, compared
	Waves [][]Task

	planned func(workers int) shards.Plan
}

// Do plans a build and does its tasks on one thread.
func (c *Config) Do(ctx context.Context) (m *Measure, err error) {
	dir, err := os.MkdirTemp(c.Dir, "shards-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	inputs := c.Inputs
	if c.First > 0 {
		inputs = []string{filepath.Join(dir, "rows"+filepath.Ext(inputs[0]))}
		if err := first(c.Inputs, c.First, inputs[0]); err != nil {
			return nil, err
		}
	}
	in, err := vectors.Open(inputs, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	c.Opts.Method, c.Opts.Threads = builder.Parts, 1
	plan, err := builder.Plan(ctx, in, c.Opts)
	if err != nil {
		return nil, err
	}
	m = &Measure{Rows: in.Len(), planned: func(workers int) shards.Plan {
		return shards.PlanOf(plan, in.Dim()*in.Type().Size(), workers, 1)
	}}
	m.Plan = m.planned(1)
	run, err := shards.Begin(ctx, dir, in, c.Opts, c.Cut)
	if err != nil {
		return nil, err
	}
	s, err := shards.Open(run, shards.Worker{Threads: 1, Memory: c.Memory, Scratch: dir})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return m, m.drive(ctx, s)
}

// first writes the first rows of some files to another.
func first(inputs []string, rows int, path string) error {
	in, err := vectors.Open(inputs, &vectors.OpenOptions{Limit: rows})
	if err != nil {
		return err
	}
	defer in.Close()
	if in.Len() < rows {
		return fmt.Errorf("%s has %d rows, want %d", inputs[0], in.Len(), rows)
	}
	w, err := vectors.Create(path, in.Type(), in.Dim())
	if err != nil {
		return err
	}
	if err := vectors.Convert(w, in, nil); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}

// drive does all tasks.
func (m *Measure) drive(ctx context.Context, s *shards.Run) error {
	for {
		wave, err := s.Next()
		if err != nil {
			return err
		}
		if wave.Ended {
			result, err := s.Result()
			if err == nil {
				m.Pairs = result.Comparisons
			}
			return err
		}
		var done []Task
		for _, task := range wave.Tasks {
			began := spent()
			if err := s.Do(ctx, task); err != nil {
				return err
			}
			done = append(done, Task{task.Stage, spent() - began})
		}
		m.Waves = append(m.Waves, done)
	}
}

var started = time.Now()

// Makespan is how long some workers take for waves of tasks, each given to the first that is free.
func Makespan(waves [][]Task, workers int) (seconds float64) {
	for _, wave := range waves {
		free := make([]float64, min(workers, len(wave)))
		for _, task := range wave {
			first := 0
			for i := range free {
				if free[i] < free[first] {
					first = i
				}
			}
			free[first] += task.Seconds
		}
		seconds += slices.Max(free)
	}
	return seconds
}

// sums are the core-seconds and the tasks of every stage.
func (m *Measure) sums() (seconds map[string]float64, tasks map[string]int, longest map[string]float64) {
	seconds, tasks, longest = map[string]float64{}, map[string]int{}, map[string]float64{}
	for _, wave := range m.Waves {
		for _, t := range wave {
			seconds[t.Stage] += t.Seconds
			tasks[t.Stage]++
			longest[t.Stage] = max(longest[t.Stage], t.Seconds)
		}
	}
	return seconds, tasks, longest
}

// Write writes the stages, planned and measured, and the schedules of so many workers.
func (m *Measure) Write(w io.Writer, workers []int) {
	seconds, tasks, longest := m.sums()
	planned := map[string]float64{}
	for _, stage := range m.Plan.Stages {
		planned[stage.Name] += stage.CPUSeconds
	}
	names := slices.Sorted(maps.Keys(seconds))
	slices.SortStableFunc(names, func(a, b string) int { return int(1e6*seconds[b]) - int(1e6*seconds[a]) })
	fmt.Fprintf(w, "%d rows, %.4g pairs in leaves\n\n| stage | tasks | core-seconds, planned | measured | longest task |\n|---|---|---|---|---|\n", m.Rows, float64(m.Pairs))
	all, count := 0.0, 0
	for _, name := range names {
		fmt.Fprintf(w, "| %s | %d | %.2f | %.2f | %.2f |\n", name, tasks[name], planned[name], seconds[name], longest[name])
		all, count = all+seconds[name], count+tasks[name]
	}
	fmt.Fprintf(w, "| all | %d | %.2f | %.2f | |\n\n| workers | seconds, planned | measured | busy |\n|---|---|---|---|\n", count, m.Plan.CoreSeconds, all)
	for _, n := range workers {
		span := Makespan(m.Waves, n)
		fmt.Fprintf(w, "| %d | %.2f | %.2f | %.0f %% |\n", n, m.planned(n).AwaitedSeconds, span, 100*all/span/float64(n))
	}
}
