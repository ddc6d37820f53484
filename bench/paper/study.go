package paper

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/baseline/knng"
	"github.com/knng/knng/bench/judge"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Config says what to run.
type Config struct {
	Files   []string
	Out     string // folder of runs.jsonl, the figures and the page
	Quick   bool
	Only    []string // systems; none is all
	Scratch string   // folder for unpacked files and for knng's stores
	Threads int      // 1, as in the paper
	Command string
	Commit  string
	Say     func(format string, args ...any)

	left int // builds that the budget left out
}

// Plan is how much is run. The full plan is the paper's, on rows that a machine
// of today finishes in a night; the quick one shows that everything works.
type Plan struct {
	Rows     int // accuracy: this many rows of every file
	Ks       []int
	Seeds    []uint64
	Limit    time.Duration // of one build; a series of settings ends with the first that takes longer
	Whole    time.Duration // of one build on all rows, with the first seed; 0 leaves that out
	Sample   int           // rows whose exact lists judge
	Growth   int           // rows of the largest step of the study of growth
	Settings int           // of every system; 0 is all
	Theory   int           // rows that the lemmas are held against
	Budget   time.Duration // of everything: builds that would begin later are left to the next time; 0 is no limit
}

// Full is the plan without --quick. Builds that take more than two minutes on
// 100,000 rows take longer than brute force by the same kernels.
var Full = Plan{Rows: 100_000, Ks: []int{1, 20, 50}, Seeds: []uint64{1, 2, 3}, Limit: 2 * time.Minute, Whole: 10 * time.Minute,
	Sample: 2000, Growth: 100_000, Theory: 20_000}

// Quick is the plan with it.
var Quick = Plan{Rows: 10_000, Ks: []int{1, 20, 50}, Seeds: []uint64{1}, Limit: 10 * time.Second,
	Sample: 500, Growth: 8000, Settings: 4, Theory: 6000, Budget: 8 * time.Minute}

func (c *Config) plan() Plan {
	if c.Quick {
		return Quick
	}
	return Full
}

// maxK is the longest list that exact lists must judge.
const maxK = 50

// data is the rows of one file, or the first of them.
type data struct {
	name  string
	rows  *vectors.Rows
	input *vectors.Input // what rows belong to
}

// first is the first n rows and their first dim elements, read where they stand.
func (d data) first(n, dim int) (data, error) {
	r := d.rows
	rows, err := vectors.RowsOf(r.Base(), min(n, r.Len()), min(dim, r.Dim()), r.Stride(), r.Type())
	return data{d.name, rows, d.input}, err
}

// runner is a session of runs.
type runner struct {
	*Config
	Plan
	log    *Log
	judges map[string]*judge.Judge
	began  time.Time
}

// Run does what has not been done yet and returns all runs. What tells most for
// its time comes first: growth and theory, then everything with one seed, then
// with the others, then all rows. After an interruption the page can be made of
// what is there.
func (c *Config) Run(ctx context.Context) (*Log, error) {
	log, err := OpenLog(filepath.Join(c.Out, "runs.jsonl"))
	if err != nil {
		return nil, err
	}
	c.left = 0
	r := &runner{Config: c, Plan: c.plan(), log: log, judges: map[string]*judge.Judge{}, began: time.Now()}
	files, err := r.open()
	defer func() {
		for _, d := range files {
			d.input.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	stages := []func(context.Context, data) error{r.theoryOf, r.growth}
	accuracy := func(n, k int, seed uint64, limit time.Duration) {
		stages = append(stages, func(ctx context.Context, d data) error { return r.accuracy(ctx, d, n, k, seed, limit) })
	}
	for _, seed := range r.Seeds {
		for _, k := range r.Ks {
			accuracy(r.Rows, k, seed, r.Limit)
		}
	}
	if r.Whole > 0 {
		for _, k := range r.Ks {
			accuracy(math.MaxInt, k, r.Seeds[0], r.Whole)
		}
	}
	for _, stage := range stages {
		for _, d := range files {
			if err := stage(ctx, d); err != nil {
				return nil, fmt.Errorf("%s: %w", d.name, err)
			}
		}
	}
	return log, nil
}

// open maps all files, and returns those that it could before an error.
func (r *runner) open() (files []data, err error) {
	for _, path := range r.Files {
		in, err := vectors.Open([]string{path}, &vectors.OpenOptions{Scratch: r.Scratch})
		if err != nil {
			return files, err
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		rows, ok := in.Mapped()
		files = append(files, data{name, rows, in})
		if !ok {
			return files, fmt.Errorf("%s: it cannot be mapped", path)
		}
	}
	return files, nil
}

// accuracy builds from the first n rows with every setting of every system.
func (r *runner) accuracy(ctx context.Context, d data, n, k int, seed uint64, limit time.Duration) error {
	part, err := d.first(n, d.rows.Dim())
	if err != nil {
		return err
	}
	for _, system := range Systems {
		if err := r.series(ctx, part, k, seed, system, limit); err != nil {
			return err
		}
	}
	return nil
}

// series runs the settings of a system until one takes too long.
func (r *runner) series(ctx context.Context, d data, k int, seed uint64, system string, limit time.Duration) error {
	if system == Naive || system == Blocked {
		limit *= 4 // what all others are held against is not left out
	}
	for _, s := range thin(Grid(system, d.rows.Len(), k), r.Settings) {
		run, err := r.task(ctx, "accuracy", d, k, seed, system, s, limit)
		if err != nil {
			return err
		}
		if run.TimedOut {
			break
		}
	}
	return nil
}

// growth builds with one setting of every system on more and more rows, and on
// more and more dimensions, and propagates further and further.
func (r *runner) growth(ctx context.Context, d data) error {
	const k = 20
	most := min(r.Growth, d.rows.Len())
	for _, part := range []int{8, 4, 2, 1} {
		rows, err := d.first(most/part, d.rows.Dim())
		if err != nil {
			return err
		}
		dims, err := d.first(most, d.rows.Dim()/part)
		if err != nil {
			return err
		}
		for _, system := range Systems {
			if s, ok := Typical(system, rows.rows.Len()); ok {
				if _, err := r.task(ctx, "rows", rows, k, 1, system, s, max(r.Limit, r.Whole)); err != nil {
					return err
				}
			}
			if s, ok := Typical(system, most); ok && (system == Divisions || system == Propagation) {
				if _, err := r.task(ctx, "dimensions", dims, k, 1, system, s, max(r.Limit, r.Whole)); err != nil {
					return err
				}
			}
		}
	}
	whole, err := d.first(most, d.rows.Dim())
	if err != nil {
		return err
	}
	for _, visits := range visitsSteps {
		s := Setting{fmt.Sprintf("M 8, T %d", visits), knng.Propagated(8, visits)}
		if _, err := r.task(ctx, "visits", whole, k, 1, Propagation, s, max(r.Limit, r.Whole)); err != nil {
			return err
		}
	}
	return nil
}

// visitsSteps are the T of the study of propagation.
var visitsSteps = []int{125, 250, 500, 1000, 2000}

// task builds and judges, unless it has been done.
func (r *runner) task(ctx context.Context, study string, d data, k int, seed uint64, system string, s Setting, limit time.Duration) (Run, error) {
	t := Task{study, d.name, d.rows.Len(), d.rows.Dim(), k, seed, system, s.Name}
	if run, ok := r.log.Find(t); ok || !r.wanted(system) {
		return run, nil
	}
	if r.Budget > 0 && time.Since(r.began) > r.Budget {
		r.left++
		return Run{}, nil
	}
	if own, ok := s.System.(knng.Builder); ok {
		own.Scratch = r.Scratch
		s.System = own
	}
	p := &baseline.Problem{Rows: d.rows, Metric: distance.Euclidean, K: k, Seed: seed, Threads: max(r.Threads, 1)}
	run, g := build(ctx, t, s.System, p, limit)
	if err := ctx.Err(); err != nil {
		return run, err
	}
	run.Commit = r.Commit
	switch {
	case g != nil && g.Detail["rows_timed"] > 0:
		run.Recall.Recall, run.Recall.Low, run.Recall.High = 1, 1, 1 // the lists that it made are exact
	case g != nil:
		j, err := r.judge(ctx, d)
		if err != nil {
			return run, err
		}
		run.Recall, err = j.Lists(k, func(row uint32, neighbors []uint32, keys []float32) ([]uint32, []float32, error) {
			ids, own := g.Lists.List(row)
			return append(neighbors, ids...), append(keys, own...), nil
		})
		if err != nil {
			return run, err
		}
	}
	r.Say("%s %s %dx%d k=%d seed %d: %s, %s: recall %.4f, %.2f s, %.4g comparisons %s%s", study, d.name, t.Rows, t.Dim, k, seed, system, s.Name,
		run.Recall.Recall, run.Seconds, float64(run.Comparisons), map[bool]string{true: "(over the limit)"}[run.TimedOut], run.Error)
	return run, r.log.Add(run)
}

func (r *runner) wanted(system string) bool {
	for _, name := range r.Only {
		if strings.EqualFold(name, system) {
			return true
		}
	}
	return len(r.Only) == 0
}

// judge finds the exact lists of a sample of rows, once for every matrix.
func (r *runner) judge(ctx context.Context, d data) (*judge.Judge, error) {
	key := fmt.Sprint(d.name, d.rows.Len(), "x", d.rows.Dim())
	if j := r.judges[key]; j != nil {
		return j, nil
	}
	j, err := judge.Sampled(ctx, d.rows, distance.Euclidean, maxK, r.Sample, 1)
	if err == nil {
		r.judges[key] = j
	}
	runtime.GC()
	return j, err
}
