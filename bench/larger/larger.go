// Package larger measures builds of data larger than memory: knng in and out of
// a memory cgroup, its cost over the number of rows, and other builders under the
// same limit (package capped). Runs are kept, one line of JSON each, and
// not repeated: a folder of results belongs to one machine and one knng.
package larger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/knng/knng/bench/capped"
	"github.com/knng/knng/bench/judge"
	"github.com/knng/knng/bench/runlog"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Config is the runs to make.
type Config struct {
	Data        string   // vector file
	Truth, Rows string   // exact lists of some of its rows, and which; "" judges nothing
	Knng        string   // binary
	Flags       []string // of "knng build", without input and output
	Memory      string   // its --memory on the capped side; "" leaves it to knng
	Cap         int64    // bytes
	Repeats     int      // runs of each side
	Warm        bool     // leave the page cache as it is
	Nice        int
	Timeout     time.Duration // of a run; 0 is none
	Out         string        // folder of results
	Scratch     string        // folder for graphs and lists

	Python, Scripts string // of peers: interpreter, folder of peer.py
	K, Threads      int    // of peers

	Done func(Run) // told of every run, also of those that the folder holds; may be nil
}

// Task names a run.
type Task struct {
	Side    string `json:"side"` // knng, or a peer
	Data    string `json:"data"` // file name
	Rows    int    `json:"rows"`
	Cap     int64  `json:"cap_bytes"` // 0: none
	Setting string `json:"setting"`   // its flags or parameters
	Repeat  int    `json:"repeat"`    // 0, 1, ...
}

// Run is a task and its outcome: a line of runs.jsonl.
type Run struct {
	Task
	RowBytes int64                   `json:"row_bytes"` // one row of the file
	Recall   *builder.RecallEstimate `json:"recall,omitempty"`
	JudgedBy string                  `json:"judged_by,omitempty"` // truth, or the build itself
	Outcome  *capped.Outcome         `json:"outcome"`
	Date     string                  `json:"date"`
}

// runner is shared by the runs of a call.
type runner struct {
	*Config
	log *runlog.Log[Task, Run]
	in  *vectors.Input
	dir string // for graphs and lists
}

// with opens the input of the runs, calls fn, and tidies up.
func (c *Config) with(fn func(*runner) error) error {
	in, err := vectors.Open([]string{c.Data}, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	if _, ok := in.Mapped(); !ok {
		return fmt.Errorf("larger: %s cannot be mapped", c.Data)
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return err
	}
	log, err := runlog.Open(filepath.Join(c.Out, "runs.jsonl"), func(r Run) Task { return r.Task })
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(c.Scratch, "larger-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return fn(&runner{c, log, in, dir})
}

// task fills in the fields that all tasks share.
func (r *runner) task(side, setting string, rows int, limit int64, repeat int) Task {
	return Task{side, filepath.Base(r.Data), rows, limit, setting, repeat}
}

// once does a task unless it has been done: args is its command, which writes
// folder, and judged measures the folder if the command succeeded.
func (r *runner) once(ctx context.Context, t Task, args []string, folder string, judged func(*Run) error) error {
	run, ok := r.log.Find(t)
	if !ok {
		defer os.RemoveAll(folder)
		run = Run{Task: t, RowBytes: int64(r.in.Dim() * r.in.Type().Size()), Date: time.Now().UTC().Format(time.DateTime)}
		config := capped.Config{Args: args, Cap: t.Cap, Cold: !r.Warm, Nice: r.Nice, Folder: folder, Timeout: r.Timeout}
		var err error
		if run.Outcome, err = config.Run(ctx); err != nil {
			return err
		}
		if _, failed := run.Outcome.Failed(); !failed {
			if err := judged(&run); err != nil {
				return err
			}
		}
		if err := r.log.Add(run); err != nil {
			return err
		}
	}
	if r.Done != nil {
		r.Done(run)
	}
	return nil
}

// judge reads the exact lists; nil where none were given, or rows are not all.
func (r *runner) judge(rows int) (*judge.Judge, error) {
	if r.Truth == "" || rows != r.in.Len() {
		return nil, nil
	}
	if r.Config.Rows == "" {
		return nil, errors.New("larger: exact lists without the file that says whose they are")
	}
	return judge.New(r.Truth, r.Config.Rows, rows, distance.Euclidean)
}
