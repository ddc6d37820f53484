package paper

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/knng/knng/bench/ablation"
	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/baseline/knng"
	"github.com/knng/knng/bench/judge"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Config is the runs to make.
type Config struct {
	Files   []string
	Out     string // folder of runs.jsonl, the figures and the page
	Quick   bool
	Only    []string       // systems; none is all
	Stages  *regexp.Regexp // parts of the schedule, by name; nil is all
	Scratch string         // folder for unpacked files and for knng's stores
	Threads int            // 1, as in the paper
	Command string
	Commit  string
	Say     func(format string, args ...any)

	Again  bool          // make the runs again of hours in which the machine was slower than in its best, or did not say
	Time   time.Duration // the plan's Budget; 0 leaves that as it is
	DryRun bool          // say only what is to be done, and how long it may take

	left     int // builds that the budget left out
	leftTime time.Duration
}

// Plan is how much is run. The full plan is the paper's, on rows that a machine
// of today finishes in a night; the quick one shows that everything works.
type Plan struct {
	Rows     int // accuracy: this many rows of every file
	Ks       []int
	Seeds    []uint64
	Limit    time.Duration // of one build; a series of settings ends with the first that takes longer, or would, by what the others took
	Refined  time.Duration // of one of ChenFS09 with lists of 50, whose refinement takes longer than all others at any setting
	Whole    time.Duration // of one build on all rows, with the first seed; 0 leaves that out
	Sample   int           // rows whose exact lists judge
	Growth   int           // rows of the largest step of the study of growth
	Settings int           // of every system; 0 is all
	Theory   int           // rows that the lemmas are held against
	Ablation int           // rows that single parts of the method are changed on
	Budget   time.Duration // of everything: builds that would end later are left to the next time; 0 is no limit
}

// Full is the plan without --quick. Builds that take more than 90 seconds on
// 100,000 rows take longer than brute force by the same kernels.
var Full = Plan{Rows: 100_000, Ks: []int{1, 20, 50}, Seeds: []uint64{1, 2, 3}, Limit: 90 * time.Second, Refined: 4 * time.Minute, Whole: 10 * time.Minute,
	Sample: 2000, Growth: 100_000, Theory: 20_000, Ablation: 20_000}

// Quick is the plan with it.
var Quick = Plan{Rows: 6000, Ks: []int{1, 20, 50}, Seeds: []uint64{1}, Limit: 10 * time.Second,
	Sample: 300, Growth: 4000, Settings: 3, Theory: 4000, Ablation: 3000, Budget: 8 * time.Minute}

func (c *Config) plan() Plan {
	p := Full
	if c.Quick {
		p = Quick
	}
	if c.Time > 0 {
		p.Budget = c.Time
	}
	return p
}

// maxK is the longest list that exact lists must judge.
const maxK = 50

// data is the rows of one file, or the first of them.
type data struct {
	name  string
	rows  *vectors.Rows
	dim   int            // of a row of the file
	input *vectors.Input // what rows belong to
}

// first is the first n rows and their first dim elements, read where they stand.
func (d data) first(n, dim int) (data, error) {
	r := d.rows
	rows, err := vectors.RowsOf(r.Base(), min(n, r.Len()), min(dim, r.Dim()), r.Stride(), r.Type())
	return data{d.name, rows, d.dim, d.input}, err
}

// runner is a session of runs.
type runner struct {
	*Config
	Plan
	log    *Log
	judges map[string]*judge.Judge
	pace   pace
	good   float64 // yardstick of good hours
	began  time.Time
}

// Run makes the runs that are missing, in the order of the schedule, and returns
// all runs. After an interruption, or when the budget is over, the page can be made
// of those that are there.
func (c *Config) Run(ctx context.Context) (*Log, error) {
	log, err := OpenLog(filepath.Join(c.Out, "runs.jsonl"))
	if err != nil {
		return nil, err
	}
	c.left, c.leftTime = 0, 0
	r := &runner{Config: c, Plan: c.plan(), log: log, judges: map[string]*judge.Judge{}, pace: pace{}, began: time.Now()}
	files, err := r.open()
	defer func() {
		for _, d := range files {
			d.input.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	stages, err := r.schedule(files)
	if err != nil {
		return nil, err
	}
	if r.good = goodYardstick(log.Runs()); r.good == 0 {
		r.good = yardstick()
	}
	r.learn(stages)
	r.tell(stages)
	if c.DryRun {
		return log, nil
	}
	if err := r.run(ctx, stages); err != nil {
		return nil, err
	}
	if c.left > 0 {
		r.Say("%d builds are left, about %.0f minutes; the same command goes on with them", c.left, c.leftTime.Minutes())
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
		files = append(files, data{name, rows, in.Dim(), in})
		if !ok {
			return files, fmt.Errorf("%s: it cannot be mapped", path)
		}
	}
	return files, nil
}

// done reports whether a job has been done: not one that was left out by an estimate, nor
// one that was given less time than it is now.
func (r *runner) done(j *job) bool {
	if j.Study == theoryStudy {
		_, err := os.Stat(r.theoryPath(j))
		return err == nil
	}
	run, ok := r.log.Find(j.Task)
	return ok && r.counts(&run) && !(run.TimedOut && run.Seconds < j.limit.Seconds())
}

// counts reports whether a run tells how long others take: it was begun, and where runs of
// slow hours are made again it is none of them.
func (r *runner) counts(run *Run) bool {
	return run.Expected == 0 && (!r.Again || run.steady(r.good))
}

// do does a job: it builds, judges and logs.
func (r *runner) do(ctx context.Context, j *job) (Run, error) {
	if j.Study == theoryStudy {
		return Run{}, r.theoryOf(ctx, j)
	}
	run, g := build(ctx, j.Task, r.onScratch(j.setting.System), r.problem(j), j.limit)
	if err := ctx.Err(); err != nil {
		return run, err
	}
	run.Machine, run.Commit, run.Command = machine(), r.Commit, r.Command
	switch {
	case g != nil && g.Detail["rows_timed"] > 0:
		run.Recall.Recall, run.Recall.Low, run.Recall.High = 1, 1, 1 // the lists that it made are exact
	case g != nil:
		judged, err := r.judge(ctx, j.data)
		if err != nil {
			return run, err
		}
		run.Recall, err = judged.Lists(j.K, func(row uint32, neighbors []uint32, keys []float32) ([]uint32, []float32, error) {
			ids, own := g.Lists.List(row)
			return append(neighbors, ids...), append(keys, own...), nil
		})
		if err != nil {
			return run, err
		}
	}
	r.Say("%5.1f min: %s %s %dx%d k=%d seed %d: %s, %s: recall %.4f, %.2f s, %.4g comparisons %s%s", time.Since(r.began).Minutes(),
		j.Study, j.Data, j.Rows, j.Dim, j.K, j.Seed, j.System, j.setting.Name, run.Recall.Recall, run.Seconds, float64(run.Comparisons),
		map[bool]string{true: "(over the limit)"}[run.TimedOut], run.Error)
	r.pace.met(j, run)
	return run, r.log.Add(run)
}

func (r *runner) problem(j *job) *baseline.Problem {
	return &baseline.Problem{Rows: j.data.rows, Metric: distance.Euclidean, K: j.K, Seed: j.Seed, Threads: max(r.Threads, 1)}
}

// onScratch tells systems that write a store where to.
func (r *runner) onScratch(s baseline.System) baseline.System {
	switch own := s.(type) {
	case knng.Builder:
		own.Scratch = r.Scratch
		return own
	case ablation.SecondOrder:
		own.Divided.Scratch = r.Scratch
		return own
	}
	return s
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
