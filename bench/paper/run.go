// Package paper runs the systems of Wang et al., "Scalable k-NN graph
// construction", section "Experiments", over a grid of parameters, and holds the
// paper's claims against the outcome. Systems (systems.go) are those of
// bench/baseline; schedule.go has the studies in their order, study.go does
// them; claims.go, figures.go and page.go make the page.
package paper

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/runlog"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
)

// A Task is one build: its name, and its input.
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

// matrix names the rows that a task is about.
func (t *Task) matrix() string { return fmt.Sprintf("%s, %s x %d", t.Data, thousands(t.Rows), t.Dim) }

// A Run is the outcome of a task: a line of runs.jsonl.
type Run struct {
	Task
	Recall      builder.RecallEstimate `json:"recall"`
	Seconds     float64                `json:"seconds"`      // rows in memory to lists in memory
	Wall        float64                `json:"wall_seconds"` // of the whole call
	Comparisons int64                  `json:"comparisons"`
	Detail      map[string]float64     `json:"detail,omitempty"`
	Rates       []float64              `json:"effective_rates,omitempty"`
	TimedOut    bool                   `json:"timed_out,omitempty"`        // not finished within the limit
	Expected    float64                `json:"expected_seconds,omitempty"` // of one that was not begun, as its limit would have ended it
	Error       string                 `json:"error,omitempty"`
	Threads     int                    `json:"threads"`
	Date        string                 `json:"date"`
	Machine     string                 `json:"machine,omitempty"`           // CPU, kernel, Go
	Yardstick   float64                `json:"yardstick_seconds,omitempty"` // of a fixed piece of work, just before
	Commit      string                 `json:"commit"`
	Command     string                 `json:"command"`
}

// Log is the file of all runs.
type Log = runlog.Log[Task, Run]

// OpenLog reads the runs that are there.
func OpenLog(path string) (*Log, error) {
	return runlog.Open(path, func(r Run) Task { return r.Task })
}

// build does a task within a limit of time.
func build(ctx context.Context, t Task, s baseline.System, p *baseline.Problem, limit time.Duration) (Run, *baseline.Graph) {
	r := Run{Task: t, Threads: max(p.Threads, 1), Date: time.Now().UTC().Format(time.RFC3339)}
	r.Yardstick = yardstick()
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
