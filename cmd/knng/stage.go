package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/shards"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/objects"
)

const stageHelp = `Build a graph by many machines: the parts method as tasks from files to files.

It is for drivers, such as "python -m knng.cluster". A driver begins a run, asks for the
next tasks, has any machines do them in any order, and asks again until no task is left:

  knng stage begin part1.u8bin part2.u8bin -o RUN --shard-rows 1000000 -k 10
  knng stage next RUN/3f9a...
  knng stage do RUN/3f9a... solve 1 17 --memory 1GiB
  knng unite RUN/3f9a... -o graph.knng

A file in RUN is whole or absent, and a task whose file is there does nothing. So two
machines may do the same task, and after any failure the same commands continue. All
machines see RUN and the input under the same paths and have the same version of knng;
other versions are refused. The graph is that of "knng build --method parts" with the
same options, to the byte.`

func newStage(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "stage", Short: "Tasks of a build by many machines", Long: stageHelp, Hidden: true, Args: args(cobra.NoArgs)}
	c.AddCommand(newStageBegin(g), newStageNext(g), newStageDo(g), newStageWork(g))
	return c
}

// stageFlags are those of begin.
type stageFlags struct {
	out, metric, badRows string
	opts                 builder.Options
	cut                  shards.Cut
}

func newStageBegin(g *globals) *cobra.Command {
	b := new(stageFlags)
	c := &cobra.Command{
		Use: "begin INPUT... -o RUN", Short: "Begin a run, or find the one that was begun", Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, inputs []string) error {
			if err := b.complete(c); err != nil {
				return usageError{err}
			}
			return b.begin(c.Context(), g, inputs)
		},
	}
	f, o := c.Flags(), &b.opts
	f.StringVarP(&b.out, "output", "o", "", "folder of runs, which all machines see")
	f.IntVarP(&o.K, "k", "k", builder.DefaultK, "neighbors of a row")
	f.StringVar(&b.metric, "metric", "euclidean", "euclidean (l2), sqeuclidean, cosine or correlation")
	f.Float64Var(&o.Recall, "recall", 0, "stop at this recall, 0 to 1 (default 0.95; none where --divisions is given)")
	f.IntVar(&o.Divisions, "divisions", 0, "leaves that a row stands in, or at most so many where --recall is given too")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of all random choices")
	f.StringVar(&b.badRows, "bad-rows", "error", "rows without distances: with NaN or Inf, too large for float32, zero under cosine, of equal elements under correlation: error, drop or isolate")
	f.StringVar(&o.IDs, "ids", "", "file of external ids, one UTF-8 line for every row")
	f.IntVar(&b.cut.Rows, "shard-rows", 0, "rows of the input that one task reads (default a million, or a sixteenth of all)")
	f.IntVar(&b.cut.Solvers, "solvers", 0, "most tasks that solve the groups of a division (default 256)")
	f.IntVar(&b.cut.Range, "range-rows", 0, "rows whose lists one task folds (default those of 32 MiB of lists)")
	requireOutput(c)
	return c
}

func (b *stageFlags) complete(c *cobra.Command) (err error) {
	if err := refuse(c, []notZero{zeroK, {"divisions", "1 or more"}, {"seed", "1 or more"}, {"shard-rows", "1 or more"}, {"solvers", "1 or more"}, {"range-rows", "1 or more"}}); err != nil {
		return err
	}
	if b.opts.Metric, err = distance.ParseMetric(b.metric); err != nil {
		return err
	}
	b.opts.BadRows, b.opts.Method, b.cut.Version = builder.BadRows(b.badRows), builder.Parts, build()
	if b.cut.Rows < 0 || b.cut.Solvers < 0 || b.cut.Range < 0 {
		return errors.New("--shard-rows, --solvers and --range-rows want 1 or more")
	}
	return byFlags(c, b.opts.Validate())
}

func (b *stageFlags) begin(ctx context.Context, g *globals, inputs []string) error {
	for i, path := range inputs { // workers may run elsewhere
		if abs, err := filepath.Abs(path); err == nil && !vectors.Streamed(path) && !objects.Is(path) {
			inputs[i] = abs
		}
	}
	if abs, err := filepath.Abs(b.opts.IDs); err == nil && b.opts.IDs != "" {
		b.opts.IDs = abs
	}
	in, err := vectors.Open(inputs, &vectors.OpenOptions{Remote: shards.Remote("")})
	if err != nil {
		return err
	}
	defer in.Close()
	run, err := shards.Begin(ctx, b.out, in, b.opts, b.cut)
	if err != nil {
		return err
	}
	if g.json {
		return g.printJSON(map[string]any{"run": run, "rows": in.Len(), "dim": in.Dim(), "type": in.Type().String(), "row_bytes": in.Dim() * in.Type().Size(), "k": b.opts.K, "others": shards.Others(b.out, run)})
	}
	fmt.Fprintln(g.stdout, run)
	return nil
}

// workerFlags are those of commands that do tasks.
type workerFlags struct {
	shards.Worker
	memory string
}

func (w *workerFlags) bind(c *cobra.Command) {
	f := c.Flags()
	f.IntVar(&w.Threads, "threads", 0, "threads (default all cores)")
	f.StringVar(&w.memory, "memory", "", "memory limit, such as 512MiB or 2G (default half of the machine's or its cgroup's)")
	f.StringVar(&w.Scratch, "scratch", "", "folder for scratch files of this machine (default that of the system)")
}

// open opens a run and holds the process to its memory.
func (w *workerFlags) open(g *globals, run string) (*shards.Run, error) {
	var err error
	if w.Memory, err = parseSize(w.memory); err != nil {
		return nil, usageError{err}
	}
	if run, err = onlyRun(run); err != nil {
		return nil, err
	}
	w.Version, w.Logger = build(), g.log
	builder.HoldHeap(cmp.Or(w.Memory, builder.DefaultMemory()))
	return shards.Open(run, w.Worker)
}

func newStageDo(g *globals) *cobra.Command {
	w := new(workerFlags)
	c := &cobra.Command{
		Use: "do RUN STAGE [DIVISION] PART", Short: "Do a task, unless its file is there", Args: args(cobra.RangeArgs(2, 4)),
		RunE: func(c *cobra.Command, a []string) error {
			task, err := shards.ParseTask(strings.Fields(strings.Join(a[1:], " ")))
			if err != nil {
				return usageError{err}
			}
			s, err := w.open(g, a[0])
			if err != nil {
				return err
			}
			defer s.Close()
			return s.Do(c.Context(), task)
		},
	}
	w.bind(c)
	return c
}

const uniteHelp = `Make one graph of a run that many machines finished ("python -m knng.cluster build").

The graph has the same checksum as one of "knng build --method parts" with the same options.
Its rows are copied from the input, which must still be there. RUN is only read, and may be
deleted afterwards.`

func newUnite(g *globals) *cobra.Command {
	w := new(workerFlags)
	var out, search string
	c := &cobra.Command{
		Use: "unite RUN -o DIR", Short: "Make one graph of the parts that many machines built", Long: uniteHelp, Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			if search != "on" && search != "off" {
				return usageError{fmt.Errorf("--search is %q, want on or off", search)}
			}
			s, err := w.open(g, a[0])
			if err != nil {
				return err
			}
			return uniteRun(c.Context(), g, s, out, search == "on", &w.Worker)
		},
	}
	w.bind(c)
	c.Flags().StringVarP(&out, "output", "o", "", "directory of the graph")
	c.Flags().StringVar(&search, "search", "on", "on makes the links that \"knng search\" follows; off leaves them to the first search")
	requireOutput(c)
	return c
}

func uniteRun(ctx context.Context, g *globals, s *shards.Run, out string, search bool, w *shards.Worker) error {
	if _, err := vacant(out); err != nil {
		return err
	}
	res, err := s.Unite(ctx, out)
	if search && (err == nil || errors.Is(err, store.ErrFinished)) {
		if links := g.makeLinks(ctx, out, cmp.Or(w.Memory, builder.DefaultMemory()), &linked{show: g.reporter(), threads: w.Threads}); links != nil {
			return g.stopped(links)
		}
	}
	if err := g.end(out, err, func() error { return showBuilt(g, res, out) }); err != nil {
		return err
	}
	return res.Err()
}

// onlyRun is the run in a folder: the folder itself, or the only one in it.
func onlyRun(folder string) (string, error) {
	if objects.Is(folder) || exists(filepath.Join(folder, "spec.json")) {
		return folder, nil
	}
	found, err := filepath.Glob(filepath.Join(folder, "*", "spec.json"))
	if err != nil || len(found) == 0 {
		if !exists(folder) {
			return "", fmt.Errorf("%s: no such file or directory", folder)
		}
		return "", usageError{fmt.Errorf("%s is not a run of a build by many machines: it has no spec.json", folder)}
	}
	if len(found) > 1 {
		return "", usageError{fmt.Errorf("%s has %d runs: name one of the folders in it, such as %s", folder, len(found), filepath.Dir(found[0]))}
	}
	return filepath.Dir(found[0]), nil
}
