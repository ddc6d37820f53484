package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/postings"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/distance"
)

const buildHelp = `Build the k-NN graph of the rows of one or several files into a directory.

Interrupt it as you like, with Ctrl-C or by kill -9: the same command continues
where it was. Threads and memory may change then; options that name the result
may not.

  knng build photos.npy -o photos.knng
  knng build part1.fvecs part2.fvecs -o all.knng -k 50 --metric cosine
  knng build rows.u8bin -o rows.knng --method paper --divisions 8 --rounds 1
  zcat rows.npy.gz | knng build - -o rows.knng --ids names.txt

A build stops at the recall asked for, at --divisions or --rounds, or when all pairs are
compared. If it ends below the recall asked for, the exit code is 4, and the graph can
be used.

Methods, of which "auto" takes one:
  exact  compare all rows with all others: where that is quickest
  tree   search a k-d tree, exactly too: for many rows of few dimensions
  balls  compare rows within overlapping balls, then neighbors of neighbors: else
  parts  like balls, with the lists on disk: where they would take more than 4 GiB
  paper  divide by hyperplanes, propagate best first: where one of its flags is given

Formats:
  .npy .npz        floats, integers or bools: bytes and float16 stay as they are, all others are
                   held as float32; integers that it does not hold exactly are refused
  .csv .tsv .txt   a row of numbers a line, after a line of names or none. A first line 0, 1, 2, ...
                   may be either, as pandas writes such names: --header says which
  .parquet         a column of lists of numbers
  .fvecs .bvecs .fbin .u8bin .i8bin
All but .npz and .parquet also as .gz or .zst. "-" is .npy on stdin. Several files are one input,
in the order given; a quoted pattern such as 'part-*.parquet' is all files that match, in the
order of their names. The Python package reads HDF5, .h5ad and Arrow as well.

An .npz by scipy.sparse.save_npz is a sparse matrix, such as TF-IDF. Its graph is exact, under
cosine or ip, and needs no memory for zeros. It can be searched, exactly too, but append and
refine do not take it.

  knng build tfidf.npz -o docs.knng -k 15 --metric cosine`

type buildFlags struct {
	out         string
	metric      string
	bits        bool
	method      string
	memory      string
	vectors     string
	badRows     string
	duplicates  string
	pairCache   string
	search      string
	propagation string
	pairwise    string
	directions  string
	column      string
	idColumn    string
	header      header
	limit       int
	opts        builder.Options
}

func newBuild(g *globals) *cobra.Command {
	b := new(buildFlags)
	c := &cobra.Command{
		Use: "build INPUT... -o DIR", Short: "Build a k-NN graph, or continue an interrupted build", Long: buildHelp,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, inputs []string) error {
			if err := b.complete(c, inputs); err != nil {
				return usageError{err}
			}
			if err := b.suitsReference(inputs); err != nil {
				return usageError{err}
			}
			err := b.run(c.Context(), g, inputs)
			if python := new(pythonError); errors.As(err, &python) {
				python.build = inPython(c, inputs, b.out)
			}
			return err
		},
	}
	b.bind(c)
	g.groupFlags(c, buildGroups)
	requireOutput(c)
	return c
}

// slowMetrics names the metrics that no codes serve.
func slowMetrics() string {
	var slow []string
	for _, m := range distance.All() {
		if !m.Coded() {
			slow = append(slow, m.String())
		}
	}
	last := len(slow) - 1
	return "; " + strings.Join(slow[:last], ", ") + " and " + slow[last] + " are slower, as every pair is compared by its distance"
}

func (b *buildFlags) bind(c *cobra.Command) {
	f, o := c.Flags(), &b.opts
	f.StringVarP(&b.out, "output", "o", "", "directory of the graph")
	f.IntVarP(&o.K, "k", "k", builder.DefaultK, "neighbors of a row; from Python 15, as in UMAP and scanpy")
	f.StringVar(&b.metric, "metric", "euclidean", distance.Names()+slowMetrics())
	f.BoolVar(&b.bits, "bits", false, "each row is bits packed into bytes, as by numpy.packbits: for hamming and jaccard")
	f.StringVar(&b.method, "method", "auto", builder.MethodNames())
	f.Float64Var(&o.Recall, "recall", 0, "stop at this recall, 0 to 1 (default 0.95; none where --divisions or --rounds is given)")
	f.IntVar(&o.Divisions, "divisions", 0, "divisions to make, with --recall at most; for balls and parts, leaves that each row is in (default as many as the recall takes)")
	f.IntVar(&o.Rounds, "rounds", 0, "rounds of propagation to make, with --recall at most; parts has none (default as many as the recall takes)")
	f.IntVar(&o.LeafSize, "leaf-size", 0, "leaves have fewer rows than N; parts ignores it (default 1000, for paper 500, and at least 4 k)")
	f.IntVar(&o.Threads, "threads", 0, "threads (default all cores)")
	f.StringVar(&b.memory, "memory", "", "memory limit, such as 512MiB or 2G (default half of the machine's or its cgroup's; 4 GiB where the system does not tell)")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of all random choices")
	f.StringVar(&o.IDs, "ids", "", "external ids: a UTF-8 line for each row that is read, dropped rows included")
	f.StringVar(&b.column, "column", "", columnUsage)
	f.StringVar(&b.idColumn, "id-column", "", idColumnUsage)
	b.header.bind(f)
	f.StringVar(&b.vectors, "vectors", "copy", "copy the rows into the store, or reference the one file, which must then stay: .npy, .fvecs, .bvecs, .fbin, .u8bin or .i8bin, not of float64; balls then makes another graph")
	f.StringVar(&o.Scratch, "scratch", "", "folder for scratch files (default DIR/scratch)")
	f.StringVar(&b.badRows, "bad-rows", "error", "rows without distances: with NaN or Inf, too large for float32, zero under cosine, of equal elements under correlation: error; isolate keeps them without neighbors until the first write to the graph (append, delete, compact), which removes them; drop moves later rows up, so use --ids")
	f.StringVar(&b.duplicates, "duplicates", "keep", "identical rows: keep, or collapse, which finds the neighbors of one for all")
	f.IntVar(&o.Copies, "copies", 0, "with --duplicates collapse: identical rows in a list, at most (default all; for UMAP give 1)")
	f.StringVar(&b.search, "search", "on", "on makes the links that \"knng search\" follows, 8 k bytes a row and at most 160; off leaves them to the first search")
	f.StringVar(&b.pairCache, "pair-cache", "auto", "keep computed distances for propagation: auto, on or off")
	f.IntVar(&b.limit, "limit-rows", 0, "read only the first N rows (default all)")
	f.Float64Var(&o.Paper.Trigger, "trigger", builder.DefaultTrigger, "effective rate under which propagation starts")
	f.IntVar(&o.Paper.Visits, "visits", 0, "rows visited around a row, at most (default 500, and at least 2 k)")
	f.IntVar(&o.Paper.Sample, "sample", builder.DefaultSample, "rows of a node that determine its direction")
	f.StringVar(&b.propagation, "propagation", "on", "after the divisions compare neighbors of neighbors (balls, paper): on or off")
	f.StringVar(&b.pairwise, "pairwise", "on", "offer a pair to both of its rows: on or off")
	f.StringVar(&b.directions, "directions", "principal", "directions of hyperplanes: principal, or random for comparison")
	f.BoolVar(&o.Paper.InPlace, "in-place", false, "propagation updates the lists that it reads, for comparison (--threads 1)")
}

// idColumnUsage is the help of --id-column.
const idColumnUsage = "column of external ids in .parquet, .csv, .tsv or .txt; in text also its number, from 1"

// columnUsage is the help of --column.
const columnUsage = "the array of vectors in .npz, or their column in .parquet (default the only one that there is)"

// buildGroups are the flags of build beside those that most builds need.
var buildGroups = []helpGroup{
	{"Input:", []string{"ids", "id-column", "column", "header", "limit-rows", "bits", "bad-rows", "duplicates", "copies", "vectors"}},
	{"Work:", []string{"divisions", "rounds", "leaf-size", "propagation", "search", "scratch"}},
	{"The paper's method:", []string{"trigger", "visits", "sample", "pairwise", "pair-cache", "directions", "in-place"}},
}

// zeros are flags for which 0 would be taken for the default, and the values that each
// takes.
var zeros = []notZero{
	zeroK,
	{"divisions", "1 or more"},
	{"rounds", "1 or more; --propagation off leaves propagation out"},
	{"leaf-size", "4 or more"},
	{"trigger", "more than 0"},
	{"visits", "1 or more"},
	{"sample", "2 or more"},
	{"seed", "1 or more"},
}

// suitsReference refuses inputs that a store cannot refer to.
func (b *buildFlags) suitsReference(inputs []string) error {
	switch {
	case b.opts.Reference && slices.Contains(inputs, "-"):
		return errors.New("--vectors reference needs files: stdin cannot be read again")
	case b.opts.Reference && len(inputs) > 1:
		return fmt.Errorf("--vectors reference takes one file, not %d: leave it out, and the store has its own copy of the rows", len(inputs))
	}
	return nil
}

// complete turns the flags that are words into options, and refuses those that do not suit a sparse matrix among the inputs.
func (b *buildFlags) complete(c *cobra.Command, inputs []string) (err error) {
	o := &b.opts
	if err := refuse(c, zeros); err != nil {
		return err
	}
	if given(c, "recall") == "0" && given(c, "divisions") == "" && given(c, "rounds") == "" {
		return errors.New("--recall is 0: a build that recall does not stop needs --divisions or --rounds")
	}
	if o.IDs != "" && b.idColumn != "" {
		return errors.New("--ids and --id-column both give ids: leave one of them out")
	}
	if b.limit < 0 {
		return fmt.Errorf("--limit-rows is %d, want 0 or more", b.limit)
	}
	if o.Metric, err = distance.ParseMetric(b.metric); err != nil {
		return err
	}
	if o.Metric.Bits() && !b.bits {
		return fmt.Errorf("--metric %v compares packed bits: pack rows of 0 and 1 by numpy.packbits(x, axis=1), and give --bits", o.Metric)
	}
	if b.bits && !o.Metric.Bits() {
		return fmt.Errorf("--bits is for --metric hamming and jaccard, not %v", o.Metric)
	}
	o.Method, o.BadRows = builder.Method(b.method), builder.BadRows(b.badRows)
	o.Duplicates, o.Paper.Directions = builder.Duplicates(b.duplicates), builder.Directions(b.directions)
	for _, s := range []struct {
		name, value string
		to          *builder.Switch
	}{{"pair-cache", b.pairCache, &o.PairCache}, {"propagation", b.propagation, &o.Propagation}, {"pairwise", b.pairwise, &o.Paper.Pairwise}} {
		if *s.to, err = parseSwitch(s.name, s.value); err != nil {
			return err
		}
	}
	if b.vectors != "copy" && b.vectors != "reference" {
		return fmt.Errorf("--vectors is %q, want copy or reference", b.vectors)
	}
	if b.search != "on" && b.search != "off" {
		return fmt.Errorf("--search is %q, want on or off", b.search)
	}
	o.Reference = b.vectors == "reference"
	if o.Memory, err = parseSize(b.memory); err != nil {
		return err
	}
	if err := o.Validate(); err != nil {
		return byFlags(c, err)
	}
	if anySparse(inputs) {
		return byFlags(c, postings.Validate(*o))
	}
	return nil
}

func (b *buildFlags) run(ctx context.Context, g *globals, inputs []string) error {
	if anySparse(inputs) {
		return b.runSparse(ctx, g, inputs)
	}
	defer leaveNothing(b.out)()
	if b.idColumn != "" {
		defer func() { os.Remove(b.opts.IDs) }() // which open made
	}
	in, err := b.open(ctx, g, inputs)
	if err != nil {
		return g.stopped(err)
	}
	defer in.Close()
	if err := b.suits(in); err != nil {
		return err
	}
	// The collector works harder near the limit instead of passing it.
	builder.HoldHeap(cmp.Or(b.opts.Memory, builder.DefaultMemory()))
	linked := &linked{show: g.reporter(), threads: b.opts.Threads}
	b.opts.Progress = linked.show
	if b.search == "on" {
		b.opts.Then, b.opts.Progress = linksSeconds, linked.built
	}
	b.opts.Logger = g.log
	res, err := builder.Build(ctx, b.out, in, b.opts)
	if b.search == "on" && (err == nil || errors.Is(err, store.ErrFinished)) {
		if err := b.link(ctx, g, linked); err != nil {
			return g.stopped(err)
		}
	}
	if errors.Is(err, builder.ErrBadRows) && b.opts.BadRows == builder.Reject {
		err = fmt.Errorf("%w by --bad-rows", err)
	}
	if err := g.end(b.out, err, func() error { return showBuilt(g, res, b.out) }); err != nil {
		return err
	}
	return res.Err()
}

// link makes the links of search. Where that fails and was not interrupted, they are left to the first search.
func (b *buildFlags) link(ctx context.Context, g *globals, l *linked) error {
	err := g.makeLinks(ctx, b.out, cmp.Or(b.opts.Memory, builder.DefaultMemory()), l)
	if err != nil && ctx.Err() == nil {
		g.log("the graph is finished, and the links of search are left to the first search: %v", err)
		return nil
	}
	return err
}
