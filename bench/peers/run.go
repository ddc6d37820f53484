package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/knng/knng/bench/judge"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Config says how to run.
type Config struct {
	Python  string        // an interpreter that has the requirements
	Scripts string        // folder of peer.py
	Knng    string        // binary
	Scratch string        // folder for graphs and lists
	Timeout time.Duration // of a run; 0 is none
	Until   time.Time     // no run begins after it, or that would not be done by then as far as others tell; zero is never
	Log     *Log          // what was run is not run again
	Done    func(Point)   // told of every run that is made; may be nil
}

// Set is data, and exact lists of some of its rows.
type Set struct {
	Name        string
	Path        string
	Truth, Rows string // .gt and .rows.ibin; "": exact lists of a sample are searched for
	Limit       int    // the first rows only, judged by a sample; 0 is all
}

// ErrBudget says that time ran out before all tasks were done.
var ErrBudget = errors.New("peers: time ran out before all runs were made")

// sampled is how many rows judge where there are no exact lists: recall is then
// known to about 0.002 at 0.95.
const sampled = 1000

// Runner runs tasks on one set.
type Runner struct {
	*Config
	set     Set
	in      *vectors.Input
	rows    *vectors.Rows
	judges  map[int]*judge.Judge // by k
	dir     string
	machine Machine
}

// On opens a set. The caller closes the runner.
func (c *Config) On(set Set) (*Runner, error) {
	dir, err := os.MkdirTemp(c.Scratch, "peers-")
	if err != nil {
		return nil, err
	}
	r := &Runner{Config: c, set: set, judges: map[int]*judge.Judge{}, dir: dir, machine: ThisMachine()}
	r.in, err = vectors.Open([]string{set.Path}, &vectors.OpenOptions{Limit: set.Limit, Scratch: dir})
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	var ok bool
	if r.rows, ok = r.in.Mapped(); !ok {
		return nil, errors.Join(fmt.Errorf("peers: %s cannot be mapped", set.Path), r.Close())
	}
	return r, nil
}

// Close removes the files that the runs left.
func (r *Runner) Close() (err error) {
	if r.in != nil {
		err = r.in.Close()
	}
	return errors.Join(err, os.RemoveAll(r.dir))
}

// Len is the number of rows.
func (r *Runner) Len() int { return r.rows.Len() }

// Dim is the number of elements of a row.
func (r *Runner) Dim() int { return r.rows.Dim() }

// Points are the runs on this set that the log holds.
func (r *Runner) Points(k, threads int) (points []Point) {
	for _, p := range r.Log.Runs() {
		if p.Set == r.set.Name && p.Rows == r.Len() && p.K == k && p.Threads == threads {
			points = append(points, p)
		}
	}
	return points
}

// Task is a task on this set.
func (r *Runner) Task(s Setting, k, threads, repeat int) Task {
	return Task{r.set.Name, r.rows.Len(), k, threads, s, repeat}
}

// Do runs the tasks that the log does not hold, in their order. A run that fails is
// an outcome. Error to test: ErrBudget, after all that there was time for.
func (r *Runner) Do(ctx context.Context, tasks []Task) error {
	left := 0
	for _, t := range tasks {
		if _, done := r.Log.Find(t.key()); done {
			continue
		}
		if !r.time(t) {
			left++
			continue
		}
		if err := r.one(ctx, t); err != nil {
			return err
		}
	}
	if left > 0 {
		return fmt.Errorf("%w: %d of %d on %s are left", ErrBudget, left, len(tasks), r.set.Name)
	}
	return nil
}

// time reports whether there is time for a task, as long as other runs of its
// setting took.
func (r *Runner) time(t Task) bool {
	if r.Until.IsZero() {
		return true
	}
	expected := 0.0
	for _, p := range r.Log.Runs() {
		other := p.Task
		other.Repeat = t.Repeat
		if other.key() == t.key() {
			expected = max(expected, p.TookSeconds)
		}
	}
	return time.Now().Add(time.Duration(expected * float64(time.Second))).Before(r.Until)
}

// one runs a task and keeps its outcome.
func (r *Runner) one(ctx context.Context, t Task) error {
	j, err := r.judge(ctx, t.K)
	if err != nil {
		return err
	}
	limited := ctx
	if r.Timeout > 0 {
		var stop context.CancelFunc
		limited, stop = context.WithTimeout(ctx, r.Timeout)
		defer stop()
	}
	began := time.Now()
	p := Point{Task: t, Date: began.UTC().Format(time.DateTime), Machine: r.machine}
	if t.Peer == Ours {
		err = r.ours(limited, &p, j)
	} else {
		err = r.peer(limited, &p, j)
	}
	if ctx.Err() != nil {
		return ctx.Err() // interrupted: no outcome
	}
	if err != nil {
		p.Error = err.Error()
	}
	if limited.Err() != nil {
		p.Error = fmt.Sprintf("not done in %v", r.Timeout)
	}
	p.TookSeconds = time.Since(began).Seconds()
	if err := r.Log.Add(p); err != nil {
		return err
	}
	if r.Done != nil {
		r.Done(p)
	}
	return nil
}

// judge has the exact lists of k neighbors, read or searched for.
func (r *Runner) judge(ctx context.Context, k int) (j *judge.Judge, err error) {
	if j := r.judges[k]; j != nil {
		return j, nil
	}
	if r.set.Truth != "" && r.set.Limit == 0 {
		j, err = judge.New(r.set.Truth, r.set.Rows, r.rows.Len(), distance.Euclidean)
	} else {
		j, err = judge.Sampled(ctx, r.rows, distance.Euclidean, k, sampled, 1)
	}
	r.judges[k] = j
	return j, err
}

// path is a file of the runner's own.
func (r *Runner) path(name string) string { return filepath.Join(r.dir, name) }
