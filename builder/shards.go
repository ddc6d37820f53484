package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/pairs"
	"github.com/knng/knng/builder/internal/shards"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// ErrVersion says that a program of another version began the run.
var ErrVersion = shards.ErrVersion

// Shards is a build of the parts method by many machines: tasks from files to files, which any
// engine can run, twice or in other orders. Its methods may be called by many processes at once,
// on machines that see the same folder. The graph is that of Build with the method parts and the
// same options, to the byte.
type Shards struct {
	run    *shards.Run
	worker Worker
}

// A Task is one piece of work of a build by shards. It reads outputs of tasks before it and
// the input, and makes one file.
type Task struct {
	Stage    string
	Division int // from 1; 0: the task belongs to none
	Part     int
}

// String is the task as ParseTask reads it.
func (t Task) String() string { return shards.Task(t).String() }

// ParseTask reads a stage, the number of the division where it has one, and the part.
func ParseTask(words []string) (Task, error) {
	t, err := shards.ParseTask(words)
	return Task(t), err
}

// A Wave holds the tasks that can be done now: those of one stage, or of some, that need nothing
// of each other.
type Wave struct {
	Tasks []Task
	Done  int    // tasks of the same stages whose files are there
	Doing string // for people
	Ended bool   // the graph is there: nothing is left to be done
}

// RemoteFiles opens inputs in object stores, for vectors.OpenOptions.Remote: a build by shards
// fetches the parts that a task needs into scratch, "" for the folder of the system.
func RemoteFiles(scratch string) func(path string) (vectors.Remote, error) {
	return shards.Remote(scratch)
}

// ShardOptions say how a run is cut into tasks. They do not change the graph.
type ShardOptions struct {
	Rows    int    // input rows of a shard; 0: a million, or fewer for some tasks to go round
	Solvers int    // most tasks that solve the groups of a division; 0: 256
	Range   int    // rows whose lists are folded by one task; 0: as many as have lists of 32 MiB
	Version string // of the program
}

func (o ShardOptions) withDefaults(rows, k int) ShardOptions {
	o.Rows = cmp.Or(o.Rows, min(1_000_000, max(1, (rows+15)/16)))
	o.Solvers = cmp.Or(o.Solvers, 256)
	o.Range = cmp.Or(o.Range, max(1, 32<<20/(8*k)))
	return o
}

// BeginShards begins a run below folder, or finds the one that was begun there of the same
// input and options, and returns its folder. src may be closed afterwards.
func BeginShards(ctx context.Context, folder string, src *vectors.Input, opts Options, cut ShardOptions) (string, error) {
	spec, err := specOf(ctx, src, opts, cut)
	if err != nil {
		return "", err
	}
	return shards.Begin(folder, spec)
}

// OtherRuns says, in a line each, which runs a folder of runs holds beside one, and in how far they differ
// from it: where the input or the program changed, a run is begun anew. Of an object store it says nothing.
func OtherRuns(folder, run string) []string { return shards.Others(folder, run) }

// specOf describes a run.
func specOf(ctx context.Context, src *vectors.Input, opts Options, cut ShardOptions) (s shards.Spec, err error) {
	if opts.Method == "" || opts.Method == Auto {
		opts.Method = Parts
	}
	if err := opts.Validate(); err != nil {
		return s, err
	}
	opts = opts.withDefaults()
	if err := shardable(src, &opts); err != nil {
		return s, err
	}
	scaledRows, scale, err := input.Scaled("", src, opts.input())
	if err != nil {
		return s, err
	}
	manifest, err := manifestOf(ctx, scaledRows, &opts)
	if err != nil {
		return s, err
	}
	scale.Record(&manifest)
	cut = cut.withDefaults(src.Len(), opts.K)
	if cut.Rows < 1 || cut.Solvers < 1 || cut.Range < 1 {
		return s, fmt.Errorf("builder: shards of %d rows, %d solving tasks, ranges of %d rows: want 1 or more", cut.Rows, cut.Solvers, cut.Range)
	}
	return shards.Spec{Format: shards.Format, Version: cut.Version, Manifest: manifest, Scale: scale.Exponent,
		Metric: opts.Metric.String(), Recall: opts.Recall, Divisions: opts.Divisions, Seed: opts.Seed, BadRows: string(opts.BadRows), IDs: opts.IDs,
		ShardRows: cut.Rows, Range: cut.Range, Solvers: cut.Solvers}, nil
}

// shardable refuses inputs that tasks cannot read by themselves.
func shardable(src *vectors.Input, o *Options) error {
	if o.Names != nil {
		return errors.New("builder: ids of a build in tasks are read by another process: want a file in IDs, not Names")
	}
	switch {
	case o.Method != Parts:
		return fmt.Errorf("builder: method %s cannot be built by shards, only parts can", o.Method)
	case !o.Metric.Gathers() || !o.Metric.Coded():
		return fmt.Errorf("builder: a build in tasks does not know the metric %v: build on one machine, where method %s does", o.Metric, Parts)
	case o.Reference:
		return fmt.Errorf("%w: a build by shards copies its rows", ErrReference)
	case len(src.Files) == 0 || src.Received() > 0:
		return errors.New("builder: streams, text and packed files cannot be read in shards: convert them first (knng convert)")
	}
	if i := slices.IndexFunc(src.Files, func(f vectors.File) bool { return f.Cut }); i >= 0 {
		return fmt.Errorf("builder: %s is cut by a limit of rows, which shards do not know", src.Files[i].Path)
	}
	return nil
}

// Worker holds the limits of a process that does tasks.
type Worker struct {
	Version string
	Threads int    // 0: GOMAXPROCS
	Memory  int64  // bytes; 0: DefaultMemory
	Scratch string // folder; "": that of the system

	Progress func(Event)
	Logger   func(format string, args ...any)
}

// OpenShards opens the run in the folder that BeginShards returned. A program of another
// version is refused with ErrVersion.
func OpenShards(folder string, w Worker) (*Shards, error) {
	o := Options{Method: Parts, Threads: w.Threads, Memory: w.Memory}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	run, err := shards.Open(folder, shards.Worker{Version: w.Version, Threads: o.Threads, Memory: cmp.Or(w.Memory, DefaultMemory()), Scratch: w.Scratch})
	if err != nil {
		return nil, err
	}
	return &Shards{run: run, worker: w}, nil
}

// Next returns the tasks to do next, from the files that are there: those of the first stages
// that lack some. It removes files that no task will read any more.
func (s *Shards) Next() (*Wave, error) {
	w, err := s.run.Next()
	if err != nil {
		return nil, err
	}
	wave := &Wave{Done: w.Done, Doing: w.Doing, Ended: w.Ended}
	for _, t := range w.Tasks {
		wave.Tasks = append(wave.Tasks, Task(t))
	}
	return wave, nil
}

// Do does a task, unless its file is there.
func (s *Shards) Do(ctx context.Context, t Task) error { return s.run.Do(ctx, shards.Task(t)) }

// Close gives back the memory that a process keeps between the tasks of a stage.
func (s *Shards) Close() error { return s.run.Close() }

// Result is the result of a run that is finished.
func (s *Shards) Result() (*Result, error) {
	r, err := s.run.Report()
	if err != nil {
		return nil, err
	}
	spec := s.run.Spec()
	m := &spec.Manifest
	return &Result{Rows: r.Rows, Dim: m.Dim, Type: m.Type, K: r.K, Metric: m.Metric, Method: Parts, Seed: spec.Seed,
		RequestedPairs: r.Requested, Comparisons: r.Evaluated, ControlPairs: r.Controls, ScanRate: scanRate(r.Evaluated, r.Places),
		EffectiveRates: []float64{}, Divisions: r.Divisions, PairCache: pairs.NoCache, Stop: r.Stop,
		Recall: RecallEstimate{Recall: r.Recall, Low: r.Low, High: r.High, Sample: r.Sample, Seed: spec.Seed},
		Target: spec.Recall, Short: spec.Recall > 0 && min(r.Steered, r.High) < spec.Recall, Capped: spec.Divisions > 0,
		Completed: r.Completed, BadRows: r.BadRows, Kernel: r.Kernel, Threads: r.Threads}, nil
}

// Unite makes one store of the graph of a finished run: the store that Build makes, with the
// same checksum. Given again after an interruption it goes on.
func (s *Shards) Unite(ctx context.Context, dir string) (*Result, error) {
	began := time.Now()
	result, err := s.Result()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("builder: the run %s is not finished: give its command again first", s.run.Name())
	}
	if err != nil {
		return nil, err
	}
	draft, err := store.OpenDraft(dir, s.run.Spec().Manifest, &store.DraftOptions{Scratch: s.worker.Scratch, Logger: s.worker.Logger})
	if errors.Is(err, store.ErrFinished) {
		var before Result
		if err := store.ReadResult(dir, &before); err != nil {
			return nil, err
		}
		return &before, err
	}
	if err != nil {
		return nil, limits.Space(err)
	}
	defer draft.Close()
	united, err := s.run.Unite(ctx, draft, result.K)
	if err != nil {
		return nil, err
	}
	result.Checksum, result.Components = united.Checksum, united.Components
	result.Seconds = time.Since(began).Seconds()
	return result, limits.Space(draft.Seal(ctx, result))
}
