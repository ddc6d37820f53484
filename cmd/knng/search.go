package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

const searchHelp = `Find the rows nearest to vectors that need not be in the graph.

  knng search photos.knng queries.npy -k 10
  knng search photos.knng queries.npy -k 10 --recall 0.99 -o hits.npz
  knng search photos.knng queries.csv --id-column id
  knng search photos.knng --id cat.jpg
  knng search photos.knng queries.npy --within 0.3 --filter-ids allowed.txt
  knng search photos.knng queries.npy --exact
  knng search photos.knng queries.npy --memory 1G

QUERIES is a file of vectors in any format that build reads, with --column and --id-column as
there; results call queries by their numbers, from 0. A search follows links in
DIR/search: build makes them, or else the first search. They may be deleted. --exact needs none.

--effort N keeps the N best rows found so far and looks at the neighbors of each: a larger N
finds more and takes longer. Without it, queries far outside of the rows get more than others.
--recall R finds the effort that reaches recall R. For that it searches for rows of the graph,
each as if it were not there, and then reports the recall for other rows. Exit code 4 means
that no effort reached it. A search of 200 queries or more without either tells where rows of
the graph let expect a recall below 0.8.

Where rows and links do not fit into --memory, a search goes by short codes of the rows, which
do fit: a query reads some fifty pages of the disk instead of hundreds. It may find other rows
than without codes, at their exact distances, so give --recall the --memory of later searches.
The first such search makes the codes in DIR/search; they may be deleted.

-o writes two arrays for numpy.load, a line for each query, of k columns, or of as many as the
graph has rows where these are fewer: "rows" (int64, -1 where there is none) and "distances"
(float32). -o does not go with -k 0, whose lists differ in length.

Over a graph of sparse rows QUERIES is a sparse matrix, and every search is exact, without
--effort and --recall.`

type searchFlags struct {
	k      int
	effort int
	recall float64
	within float32
	exact  bool
	filter string
	id     string
	row    string
	memory string
	out    string
	columns
	query  search.Query
	budget int64 // memory

	estimated *float64 // recall, where it is low
}

func newSearch(g *globals) *cobra.Command {
	f := new(searchFlags)
	c := &cobra.Command{
		Use: "search DIR [QUERIES]", Short: "Find the rows nearest to any vectors", Long: searchHelp,
		Args: args(cobra.RangeArgs(1, 2)),
		RunE: func(c *cobra.Command, a []string) error {
			if err := f.complete(c, a); err != nil {
				return usageError{err}
			}
			return f.run(c.Context(), g, a)
		},
	}
	flags := c.Flags()
	flags.IntVarP(&f.k, "k", "k", 10, "results of a query; 0 is all, with --within")
	flags.IntVar(&f.effort, "effort", 0, fmt.Sprintf("keep the N best rows so far and look at their neighbors (default the larger of %d and 2 k)", search.MinEffort))
	flags.Float64Var(&f.recall, "recall", 0, "find the effort that reaches this recall, 0 to 1 (default off)")
	flags.Float32Var(&f.within, "within", 0, "only results at this distance or less (default any)")
	flags.BoolVar(&f.exact, "exact", false, "compare every query with every row")
	flags.StringVar(&f.filter, "filter-ids", "", "only results with the ids in this file, one a line; row numbers where the graph has no ids")
	flags.StringVar(&f.id, "id", "", "the query is the row with this external id")
	flags.StringVar(&f.row, "row", "", "the query is this row")
	f.columns.bind(flags)
	flags.StringVar(&f.memory, "memory", "", "memory for rows and links, such as 512MiB or 2G (default half of the machine's or its cgroup's)")
	flags.StringVarP(&f.out, "output", "o", "", ".npz file to write, in place of printing")
	return c
}

func (f *searchFlags) complete(c *cobra.Command, a []string) error {
	given := len(a) - 1
	for _, one := range []string{f.id, f.row} {
		if one != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("give QUERIES, --id or --row, and only one of them")
	case len(a) == 1 && f.columns != (columns{}):
		return errors.New("--column, --id-column and --header are of QUERIES, and there are none")
	case f.k < 0 || f.k == 0 && !c.Flags().Changed("within"):
		return fmt.Errorf("-k is %d, want 1 or more, or 0 with --within", f.k)
	case f.k == 0 && f.out != "":
		return errors.New("-k 0 gives lists of any length, which -o does not write")
	case f.out != "" && !strings.EqualFold(filepath.Ext(f.out), ".npz"):
		return fmt.Errorf("--output is %s, want a name that ends in .npz: it holds two arrays", f.out)
	case c.Flags().Changed("effort") && f.effort < 1:
		return fmt.Errorf("--effort is %d, want 1 or more", f.effort)
	case c.Flags().Changed("recall") && !(f.recall > 0 && f.recall <= 1):
		return fmt.Errorf("--recall is %v, want more than 0 and at most 1", f.recall)
	case f.exact && f.effort > 0:
		return errors.New("--exact compares every query with every row: it goes without --effort")
	case f.recall > 0 && (f.exact || f.effort > 0 || f.k == 0):
		return errors.New("--recall finds the effort of searches with -k: it goes without --effort, --exact and -k 0")
	case f.within != f.within:
		return errors.New("--within is NaN")
	}
	var err error
	if f.budget, err = parseSize(f.memory); err != nil {
		return err
	}
	f.query = search.Query{K: f.k, Effort: f.effort, Exact: f.exact}
	if c.Flags().Changed("within") {
		f.query.Within = &f.within
	}
	return nil
}

// tuned is an effort that was looked for.
type tuned struct {
	Asked float64 `json:"asked"`
	search.Tuned
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Sample int     `json:"sample"`
}

func (f *searchFlags) run(ctx context.Context, g *globals, a []string) error {
	if err := noFile(f.out); err != nil {
		return err
	}
	if f.budget > 0 { // codes are made within it
		builder.HoldHeap(max(f.budget, leastHeap))
	}
	if living.Is(a[0]) {
		return f.runLiving(ctx, g, a)
	}
	return f.runStore(ctx, g, a)
}

// leastHeap is the heap that a search may have, however little --memory is: its program and the
// rows of a sample that codes are fitted on.
const leastHeap = 64 << 20

// runStore is run for a graph that was built and is not written to.
func (f *searchFlags) runStore(ctx context.Context, g *globals, a []string) error {
	s, err := store.Open(a[0], nil)
	if err != nil {
		return err
	}
	defer s.Close()
	f.bound(s.Len())
	if m := s.Info().Manifest; m.Sparse() {
		return f.runSparse(ctx, g, s, a[1:])
	}
	r, err := g.openSearch(ctx, s, f.budget, f.exact)
	if err != nil {
		return err
	}
	defer r.Close()
	if f.filter != "" {
		rows, err := readRows(s, f.filter)
		if err == nil {
			f.query.Only, err = r.Only(rows)
		}
		if err != nil {
			return err
		}
	}
	in, err := f.queries(ctx, g, s, r, a[1:])
	if err != nil {
		return err
	}
	defer in.Close()
	var t *tuned
	if f.recall > 0 {
		if t, err = tune(g, r.Len(), f.tuning(), func(o search.TuneOptions) (search.Tuned, error) { return r.Tune(ctx, o) }); err != nil {
			return err
		}
		f.query.Effort = t.Effort
	}
	found, err := r.SearchAll(ctx, in, f.query)
	counts := r.Counts()
	if err = ofQueries(err, a[1:]); err == nil {
		err = f.estimate(ctx, g, r, in.Len())
	}
	if err == nil {
		err = f.show(g, shownStore{s}, found, t, map[string]any{"dir": a[0], "counts": counts})
	}
	if err != nil {
		return err
	}
	return f.reached(t)
}

// A search of many queries with neither --recall nor --effort takes a few rows more, to tell where little is found.
const (
	estimateOf   = 10  // queries for each of these rows,
	leastSampled = 20  // which are no fewer,
	mostSampled  = 200 // nor more
	lowRecall    = 0.8
)

// estimate tells of a low recall, as far as rows of the graph let it be known.
func (f *searchFlags) estimate(ctx context.Context, g *globals, r *search.Searcher, queries int) error {
	rows := min(queries/estimateOf, mostSampled)
	if f.recall > 0 || f.effort > 0 || f.exact || f.k == 0 || f.filter != "" || f.query.Within != nil || rows < leastSampled {
		return nil
	}
	found, err := r.Estimate(ctx, f.query, rows)
	if err != nil || found >= lowRecall {
		return err
	}
	f.estimated = &found
	g.say("searches for %d rows of the graph find about %.2f of their neighbors: --recall 0.95 finds the effort for more", rows, found)
	return nil
}

// bound bounds the results of a query by the rows of the graph: the lines of an output are as long.
func (f *searchFlags) bound(rows int) {
	f.k = min(f.k, max(rows, 1))
	f.query.K = f.k
}

// reached is nil where the effort that was found reaches the recall asked for.
func (f *searchFlags) reached(t *tuned) error {
	switch {
	case t == nil:
		return nil
	case !t.Reached:
		return fmt.Errorf("no effort up to %d reaches recall %v: %w", t.Effort, f.recall, builder.ErrBelowTarget)
	case t.High < f.recall: // the rows that told the effort were easier than others
		return fmt.Errorf("effort %d reaches at most recall %.4f on other rows, asked %v: %w", t.Effort, t.High, f.recall, builder.ErrBelowTarget)
	}
	return nil
}

// openSearch makes a store ready for search, and tells where that took links to be made.
func (g *globals) openSearch(ctx context.Context, s *store.Store, budget int64, exact bool) (*search.Searcher, error) {
	o, end := g.searchOptions(ctx, budget)
	defer end()
	o.Exact = exact
	r, err := search.Open(s, o)
	if err != nil {
		return nil, err
	}
	if !exact { // which has no links
		g.tellSearch(r)
	}
	return r, nil
}

// searchOptions are those of a search within a memory budget, 0 for the usual one. The making of
// links and codes is told as progress, until end.
func (g *globals) searchOptions(ctx context.Context, budget int64) (o *search.Options, end func()) {
	steps := &steps{to: g.phases()}
	return &search.Options{Context: ctx, Limit: cmp.Or(budget, builder.DefaultMemory()) / plan.LinksShare, Budget: budget, Progress: func(done, total int) {
		steps.tell("links", "rows", int64(done), int64(total))
	}}, steps.end
}

// tellSearch tells where links, codes and a copy of the rows come from, where they were not there as they should be.
func (g *globals) tellSearch(r *search.Searcher) {
	state := r.State()
	g.tellIslands(state)
	g.tellRows(state.RowsFrom)
	if g.tellOrigin("links", state.Origin); state.Codes == 0 {
		return
	}
	g.tellOrigin("codes", state.CodesFrom)
	if state.CodesFrom.Made {
		g.say("memory holds a code of %d bytes for every row, and no rows", state.Codes)
	}
}

// tellIslands tells of islands that searches may miss. Searches by codes begin at places all over the rows, and find them.
func (g *globals) tellIslands(state search.State) {
	if state.Unled && state.Codes == 0 {
		g.say("the graph has more than %d islands, groups of rows that no link joins: searches begin in no more of them, and miss most rows of others; --exact finds all, and --recall tells how much is found", state.Islands)
	}
}

// tellRows tells where the copy of the rows comes from, where there is to be one.
func (g *globals) tellRows(from search.Origin) {
	if from.Replaced != nil {
		g.say("the copy of the rows was made again: %v", from.Replaced)
	}
	switch {
	case from.Why != nil:
		g.say("rows stay in the order of the input, by which a search reads more of the disk: %v", from.Why)
	case from.Made:
		g.say("search/rows holds a second copy of the rows, in an order of locality")
	}
}

func (g *globals) tellOrigin(what string, from search.Origin) {
	if from.Replaced != nil {
		g.say("%s were made again: %v", what, from.Replaced)
	}
	if !from.Kept {
		g.say("%s are in memory only: %v", what, from.Why)
	}
}

// makeLinks makes the links that search walks, within a share of a memory limit, and tells how
// far they are: after a build, as its last part.
func (g *globals) makeLinks(ctx context.Context, dir string, memory int64, l *linked) error {
	returnMemory() // of the build: pages of files take its place
	s, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	defer l.publish(s)()
	steps := &steps{to: progress.Reporter{Tell: l.linking}}
	defer steps.end()
	return search.Make(s, &search.Options{Context: ctx, Threads: l.threads, Limit: memory / plan.LinksShare, Progress: func(done, total int) {
		steps.tell("links", "rows", int64(done), int64(total))
	}})
}

// returnMemory returns the memory of the heap that is free to the system, where it is so much that
// collecting garbage, some milliseconds, is worth it.
func returnMemory() {
	held := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	if metrics.Read(held); held[0].Value.Uint64()+held[1].Value.Uint64() >= 32<<20 {
		debug.FreeOSMemory()
	}
}

// queries opens the vectors that are looked for.
func (f *searchFlags) queries(ctx context.Context, g *globals, s *store.Store, r *search.Searcher, paths []string) (*vectors.Input, error) {
	if len(paths) > 0 {
		return g.openSuiting(ctx, paths, f.columns.options(), r.Dim())
	}
	row, err := f.rowOf(shownStore{s})
	if err != nil {
		return nil, err
	}
	v, err := r.Wide(row)
	if err != nil {
		return nil, err
	}
	return vectors.NewInput(v), nil
}

// ofQueries has an error of a query name its file.
func ofQueries(err error, paths []string) error {
	if len(paths) > 0 && errors.Is(err, search.ErrQuery) {
		return fmt.Errorf("%s: %w", shownNames(paths), err)
	}
	return err
}

// rowOf is the row that --id or --row names.
func (f *searchFlags) rowOf(x shownGraph) (store.Row, error) {
	if f.id != "" {
		return x.RowOf(f.id)
	}
	row, err := strconv.ParseUint(f.row, 10, 63)
	if err != nil {
		return 0, usageError{fmt.Errorf("--row: %q %w; for external ids give --id", f.row, errNumber)}
	}
	return store.Row(row), nil
}

// readRows reads the rows that may be results.
func readRows(s *store.Store, path string) ([]store.Row, error) {
	var rows []store.Row
	err := eachLineOf(path, func(line string) error {
		row, err := rowNamed(s, line)
		rows = append(rows, row)
		return err
	})
	return rows, err
}

// rowNamed is the row of an id, or of a number where the store has no ids.
func rowNamed(s *store.Store, name string) (store.Row, error) {
	if s.Info().IDs {
		return s.RowOf(name)
	}
	row, err := strconv.ParseUint(name, 10, 63)
	if err != nil || row >= uint64(s.Len()) {
		return 0, vectors.Refused(fmt.Errorf("%q is not a row number below %d, and the graph has no ids", name, s.Len()))
	}
	return store.Row(row), nil
}

// tuning says which effort is looked for.
func (f *searchFlags) tuning() search.TuneOptions {
	return search.TuneOptions{K: f.k, Recall: f.recall, Seed: 1}
}

// tune looks for an effort, and prints the recall that it reaches.
func tune(g *globals, rows int, o search.TuneOptions, find func(search.TuneOptions) (search.Tuned, error)) (*tuned, error) {
	t := &tuned{Asked: o.Recall}
	var err error
	if t.Tuned, err = find(o); err != nil {
		return nil, err
	}
	t.Sample = len(t.PerQuery)
	_, t.Low, t.High = recall.Interval(t.PerQuery, rows, 1)
	if !g.quiet && t.Sample == 0 {
		fmt.Fprintf(g.stderr, "effort %d; a graph of one row has no others to measure searches by\n", t.Effort)
	} else if !g.quiet {
		word := "finds"
		if !t.Reached {
			word = "is the most that is tried and finds"
		}
		cost := ""
		if t.Evaluations > 0 {
			cost = fmt.Sprintf(", %.0f comparisons a query", t.Evaluations)
		}
		fmt.Fprintf(g.stderr, "effort %d %s %.4f, 95 %% interval %.4f to %.4f (%d held-out rows%s); asked %v\n",
			t.Effort, word, t.Recall, t.Low, t.High, t.Sample, cost, t.Asked)
	}
	return t, nil
}
