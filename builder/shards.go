package builder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/pairs"
	"github.com/knng/knng/builder/internal/shards"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// ErrVersion says that a program of another version began the run.
var ErrVersion = shards.ErrVersion

// Shards is a build of the parts method by many machines: tasks from files to files, which any
// engine can run, twice or in other orders. Its methods may be called by many processes at once,
// on machines that see the same folder. The graph is that of Build with the method parts and the
// same options, to the byte.
type Shards struct{ run *shards.Run }

type (
	// A Task is one piece of work of a build by shards: a Stage, the number of its Division (0: it
	// belongs to none) and a Part of it. It reads outputs of tasks before it and the input, and
	// makes one file.
	Task = shards.Task
	// A Wave holds the Tasks that can be done now: those of one stage, or of some, that need nothing
	// of each other; how many of them are Done, a word for people (Doing), and whether the graph is
	// there (Ended).
	Wave = shards.Wave
	// ShardOptions say how a run is cut into tasks: input Rows of a shard, Solvers of a division at
	// most, the Range of rows whose lists one task folds; 0 leaves them to the builder. They do not
	// change the graph. Version is that of the program.
	ShardOptions = shards.Cut
	// Worker holds the limits of a process that does tasks: Threads, Memory in bytes and the Scratch
	// folder, where zero means as in Options; the Version of the program, and a Logger.
	Worker = shards.Worker
	// ShardsPlan is an estimate of a build by shards, in bytes and seconds.
	ShardsPlan = shards.Plan
)

// ParseTask reads a stage, the number of the division where it has one, and the part.
func ParseTask(words []string) (Task, error) { return shards.ParseTask(words) }

// RemoteFiles opens inputs in object stores, for vectors.OpenOptions.Remote: a build by shards
// fetches the parts that a task needs into scratch, "" for the folder of the system.
func RemoteFiles(scratch string) func(path string) (vectors.Remote, error) {
	return shards.Remote(scratch)
}

// DiskRate is the bytes a second that a plan gives each worker.
const DiskRate = shards.DiskRate

// PlanShards estimates the build of a plan by workers of some threads each, as fast as those
// of this machine.
func PlanShards(p *plan.Plan, rowBytes, workers, threads int) ShardsPlan {
	return shards.PlanOf(p, rowBytes, workers, threads)
}

// BeginShards begins a run below folder, or finds the one that was begun there of the same
// input and options, and returns its folder. src may be closed afterwards.
func BeginShards(ctx context.Context, folder string, src *vectors.Input, opts Options, cut ShardOptions) (string, error) {
	if opts.Method == "" || opts.Method == Auto {
		opts.Method = Parts
	}
	if err := opts.Validate(); err != nil {
		return "", err
	}
	opts = opts.withDefaults()
	switch {
	case opts.Names != nil:
		return "", errors.New("builder: ids of a build in tasks are read by another process: want a file in IDs, not Names")
	case opts.Method != Parts:
		return "", fmt.Errorf("builder: method %s cannot be built by shards, only parts can", opts.Method)
	case !opts.Metric.Gathers() || !opts.Metric.Coded():
		return "", fmt.Errorf("builder: a build in tasks does not know the metric %v: build on one machine, where method %s does", opts.Metric, Parts)
	case opts.Reference:
		return "", fmt.Errorf("%w: a build by shards copies its rows", ErrReference)
	}
	if err := shards.Readable(src); err != nil {
		return "", err
	}
	scaled, scale, err := input.Scaled("", src, opts.input())
	if err != nil {
		return "", err
	}
	manifest, err := manifestOf(ctx, scaled, &opts)
	if err != nil {
		return "", err
	}
	scale.Record(&manifest)
	return shards.Begin(folder, shards.Spec{Manifest: manifest, Scale: scale.Exponent, Metric: opts.Metric.String(),
		Recall: opts.Recall, Divisions: opts.Divisions, Seed: opts.Seed, BadRows: string(opts.BadRows), IDs: opts.IDs}, cut)
}

// OtherRuns says, in a line each, which runs a folder of runs holds beside one, and in how far they differ
// from it: where the input or the program changed, a run is begun anew. Of an object store it says nothing.
func OtherRuns(folder, run string) []string { return shards.Others(folder, run) }

// OpenShards opens the run in the folder that BeginShards returned. A program of another
// version is refused with ErrVersion.
func OpenShards(folder string, w Worker) (*Shards, error) {
	o := Options{Method: Parts, Threads: w.Threads, Memory: w.Memory}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	w.Threads, w.Memory = o.withDefaults().Threads, o.limit()
	run, err := shards.Open(folder, w)
	if err != nil {
		return nil, err
	}
	return &Shards{run}, nil
}

// Next returns the tasks to do next, from the files that are there: those of the first stages
// that lack some. It removes files that no task will read any more.
func (s *Shards) Next() (*Wave, error) { return s.run.Next() }

// Do does a task, unless its file is there.
func (s *Shards) Do(ctx context.Context, t Task) error { return s.run.Do(ctx, t) }

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
	draft, err := s.run.Draft(dir)
	if errors.Is(err, store.ErrFinished) {
		result = new(Result)
		if err := store.ReadResult(dir, result); err != nil {
			return nil, err
		}
		return result, err
	}
	if err != nil {
		return nil, err
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
