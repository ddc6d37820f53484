package builder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/pages"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/objects"
)

// The parts method by many machines. A build is tasks from files to files: every output is
// a function of the tasks' inputs alone, is whole or absent, and is kept, so that any engine
// can run tasks, twice or in other orders, and the same command goes on after anything. The
// graph is that of Build with the method parts and the same options, to the byte: leaders,
// leaves, groups, lists and decisions are those of the same functions. See Shards.

// ErrVersion says that a program of another version began the run.
var ErrVersion = errors.New("builder: another version of knng began this run")

// shardsFormat counts versions of tasks and of their files.
const shardsFormat = 1

// Shards is a build of the parts method by tasks. Its methods may be called by many
// processes at once, on machines that see the same folder.
type Shards struct {
	spec   shardSpec
	run    string
	folder pieces.Folder
	opts   Options
	space  *distance.Space
	fixed  *settled // result of settle; nil: not read yet
	ledger pages.Ledger
	kept   kept
	inputs openInputs
}

// shardSpec names a run: all its files follow from it and from the input.
type shardSpec struct {
	Format   int            `json:"format"`
	Version  string         `json:"version"`
	Manifest store.Manifest `json:"manifest"`
	Scale    int            `json:"scale"` // exponent of two by which rows are multiplied

	Metric    string  `json:"metric"`
	Recall    float64 `json:"recall"`
	Divisions int     `json:"divisions"`
	Seed      uint64  `json:"seed"`
	BadRows   BadRows `json:"bad_rows"`
	IDs       string  `json:"ids"`

	ShardRows int `json:"shard_rows"` // input rows of a shard
	Range     int `json:"range"`      // places whose lists are folded by one task
	Solvers   int `json:"solvers"`    // most tasks that solve the groups of a division
}

// RemoteFiles opens inputs in object stores, for vectors.OpenOptions.Remote: a build by shards
// fetches what a task needs of them into scratch, "" for the folder of the system.
func RemoteFiles(scratch string) func(path string) (vectors.Remote, error) {
	return func(path string) (vectors.Remote, error) { return objects.Open(path, scratch) }
}

// ShardOptions say how a run is cut into tasks. They do not change the graph.
type ShardOptions struct {
	Rows    int    // input rows of a shard; 0: a million, or fewer for some tasks to go round
	Solvers int    // most tasks that solve the groups of a division; 0: 256
	Range   int    // rows whose lists are folded by one task; 0: as many as have lists of 32 MiB
	Version string // of the program
}

func (o ShardOptions) withDefaults(rows, k int) ShardOptions {
	if o.Rows == 0 {
		o.Rows = min(1_000_000, max(1, (rows+15)/16))
	}
	if o.Solvers == 0 {
		o.Solvers = 256
	}
	if o.Range == 0 {
		o.Range = max(1, 32<<20/(8*k))
	}
	return o
}

// BeginShards begins a run below folder, or finds the one that was begun there of the same
// input and options, and returns its folder. src may be closed afterwards.
func BeginShards(ctx context.Context, folder string, src *vectors.Input, opts Options, cut ShardOptions) (string, error) {
	spec, err := specOf(ctx, src, opts, cut)
	if err != nil {
		return "", err
	}
	data, err := json.MarshalIndent(spec, "", " ")
	if err != nil {
		return "", fmt.Errorf("builder: %w", err)
	}
	at := pieces.At(folder)
	name := path.Join(spec.identity(), specName)
	if known, err := readAll(at, name); err == nil && !bytes.Equal(known, data) {
		var before shardSpec
		if json.Unmarshal(known, &before) != nil || before.identity() != spec.identity() {
			return "", fmt.Errorf("builder: %s: %s is damaged: remove it and give the command again", folder, name)
		}
		return pieces.Join(folder, spec.identity()), nil // the same, but for times of files
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	} else if err == nil {
		return pieces.Join(folder, spec.identity()), nil
	}
	f, err := at.Create(name)
	if err != nil {
		return "", err
	}
	defer f.Abort()
	if _, err := f.WriteAt(data, 0); err != nil {
		return "", fmt.Errorf("builder: %s: %w", name, err)
	}
	return pieces.Join(folder, spec.identity()), f.Commit()
}

const specName = "spec.json"

func readAll(folder pieces.Folder, name string) ([]byte, error) {
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, f.Size())
	if n, err := f.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("builder: %s: %w", name, err)
	}
	return data, nil
}

// specOf describes a run.
func specOf(ctx context.Context, src *vectors.Input, opts Options, cut ShardOptions) (s shardSpec, err error) {
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
	scaledRows, scale, err := scaled("", src, &opts)
	if err != nil {
		return s, err
	}
	manifest, err := manifestOf(ctx, scaledRows, &opts)
	if err != nil {
		return s, err
	}
	scale.record(&manifest)
	cut = cut.withDefaults(src.Len(), opts.K)
	if cut.Rows < 1 || cut.Solvers < 1 || cut.Range < 1 {
		return s, fmt.Errorf("builder: shards of %d rows, %d solving tasks, ranges of %d rows: want 1 or more", cut.Rows, cut.Solvers, cut.Range)
	}
	return shardSpec{Format: shardsFormat, Version: cut.Version, Manifest: manifest, Scale: scale.exponent,
		Metric: opts.Metric.String(), Recall: opts.Recall, Divisions: opts.Divisions, Seed: opts.Seed, BadRows: opts.BadRows, IDs: opts.IDs,
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
	case o.Reference:
		return fmt.Errorf("%w: a build by shards copies its rows", ErrReference)
	case len(src.Files) == 0 || src.Received() > 0:
		return errors.New("builder: streams, text and packed files cannot be read in shards: convert them first (knng convert)")
	}
	for _, f := range src.Files {
		if f.Cut {
			return fmt.Errorf("builder: %s is cut by a limit of rows, which shards do not know", f.Path)
		}
	}
	return nil
}

// identity is 16 letters that stand for all that names the files of a run. Times of input
// files do not count; samples of their bytes do.
func (s shardSpec) identity() string {
	files := make([]vectors.File, len(s.Manifest.Files))
	copy(files, s.Manifest.Files)
	for i := range files {
		files[i].ModTime = 0
	}
	s.Manifest.Files = files
	data, _ := json.Marshal(s) // of plain values: no error
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
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
	s := &Shards{folder: pieces.At(folder), run: path.Base(folder)}
	data, err := readAll(s.folder, specName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("builder: %s is no run: it has no %s", folder, specName)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &s.spec); err != nil {
		return nil, fmt.Errorf("builder: %s: %s is damaged: %w", folder, specName, err)
	}
	if s.spec.Version != w.Version || s.spec.Format != shardsFormat {
		return nil, fmt.Errorf("%w: version %s, format %d, and this is version %s, format %d: install one version on all machines, or begin anew",
			ErrVersion, s.spec.Version, s.spec.Format, w.Version, shardsFormat)
	}
	if s.spec.identity() != s.run {
		return nil, fmt.Errorf("builder: %s: %s belongs to run %s: it is damaged, or the folder was renamed", folder, specName, s.spec.identity())
	}
	return s, s.take(w)
}

// take makes the options of a process.
func (s *Shards) take(w Worker) (err error) {
	o := Options{K: s.spec.Manifest.K, Method: Parts, Recall: s.spec.Recall, Divisions: s.spec.Divisions, Seed: s.spec.Seed,
		BadRows: s.spec.BadRows, IDs: s.spec.IDs, Threads: w.Threads, Memory: w.Memory, Scratch: w.Scratch, Progress: w.Progress, Logger: w.Logger}
	if o.Metric, err = distance.ParseMetric(s.spec.Metric); err != nil {
		return fmt.Errorf("builder: %w", err)
	}
	if err := o.Validate(); err != nil {
		return err
	}
	s.opts = o.withDefaults()
	t, err := vectors.ParseType(s.spec.Manifest.Type)
	if err != nil {
		return fmt.Errorf("builder: %w", err)
	}
	s.space, err = distance.New(o.Metric, t, s.spec.Manifest.Dim)
	return err
}
