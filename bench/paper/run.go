// Package paper runs the systems of Wang et al., "Scalable k-NN graph
// construction", section "Experiments", over a grid of parameters, and holds the
// paper's claims against the outcome. Systems (systems.go) stand behind
// bench/baseline; what is studied, and in which order, is in schedule.go, how
// in study.go; claims.go, figures.go and page.go make the page.
package paper

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
)

// A Task is one build: what names it, and what is needed to do it.
type Task struct {
	Study   string `json:"study"` // schedule.go lists them
	Data    string `json:"data"`  // file name without its folder and extension
	Rows    int    `json:"rows"`
	Dim     int    `json:"dim"`
	K       int    `json:"k"`
	Seed    uint64 `json:"seed"`
	System  string `json:"system"`
	Setting string `json:"setting"`
}

// A Run is the outcome of a task: a line of runs.jsonl.
type Run struct {
	Task
	Recall      builder.RecallEstimate `json:"recall"`
	Seconds     float64                `json:"seconds"`      // rows in memory to lists in memory
	Wall        float64                `json:"wall_seconds"` // of the whole call
	Comparisons int64                  `json:"comparisons"`
	Detail      map[string]float64     `json:"detail,omitempty"`
	Rates       []float64              `json:"effective_rates,omitempty"`
	TimedOut    bool                   `json:"timed_out,omitempty"` // not finished within the limit
	Error       string                 `json:"error,omitempty"`
	Threads     int                    `json:"threads"`
	Date        string                 `json:"date"`
	Commit      string                 `json:"commit"`
	Command     string                 `json:"command"`
}

// Log is the file of all runs.
type Log struct {
	path string
	Runs []Run
	done map[Task]int
}

// OpenLog reads the runs that are there. A last line that was cut off is left out,
// and written over by the next run.
func OpenLog(path string) (*Log, error) {
	l := &Log{path: path, done: map[Task]int{}}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var whole int64
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var r Run
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s: run %d: %w", path, len(l.Runs)+1, err)
		}
		whole += int64(len(line))
		l.keep(r)
	}
	return l, f.Truncate(whole)
}

func (l *Log) keep(r Run) {
	l.done[r.Task] = len(l.Runs)
	l.Runs = append(l.Runs, r)
}

// Find returns the run of a task.
func (l *Log) Find(t Task) (Run, bool) {
	at, ok := l.done[t]
	if !ok {
		return Run{}, false
	}
	return l.Runs[at], true
}

// Add appends a run to the file.
func (l *Log) Add(r Run) error {
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(r); err != nil {
		return err
	}
	l.keep(r)
	return nil
}

// build does a task within a limit of time.
func build(ctx context.Context, t Task, s baseline.System, p *baseline.Problem, limit time.Duration) (Run, *baseline.Graph) {
	r := Run{Task: t, Threads: max(p.Threads, 1), Date: time.Now().UTC().Format(time.RFC3339)}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	runtime.GC()
	var g *baseline.Graph
	began := time.Now()
	err := vectors.Guard(func() (err error) {
		g, err = s.Build(timed, p)
		return err
	})
	r.Wall = time.Since(began).Seconds()
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(timed.Err(), context.DeadlineExceeded):
		r.TimedOut, r.Seconds = true, r.Wall
		return r, nil
	case err != nil:
		r.Error = err.Error()
		return r, nil
	}
	r.Seconds, r.Comparisons, r.Detail, r.Rates = r.Wall, g.Comparisons, g.Detail, g.Rates
	if g.Seconds > 0 {
		r.Seconds = g.Seconds
	}
	return r, g
}
