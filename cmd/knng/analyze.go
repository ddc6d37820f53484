package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/cmd/knng/internal/number"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis"
	"github.com/knng/knng/store/living"
)

const analyzeHelp = `Look at a finished graph as a graph: its connected components, how many neighbors
list each other, which rows stand in most lists (hubs) and how many in none,
groups of equal rows, and distances to the nearest and the k-th neighbor.

  knng analyze photos.knng
  knng analyze photos.knng --top 50 --json
  knng analyze photos.knng --within 0.05    # rows this near count as equal
  knng analyze photos.knng --reverse        # and build the in-neighbors
  knng analyze photos.knng --plot photos.svg
  knng analyze photos.knng --affinity clusters.csv    # and cluster it

--reverse makes DIR/reverse: for each row the rows that list it, nearest first, for
programs (store.InNeighbors, gonum's algorithms).

--view makes DIR/view and DIR/catalog again, which build makes, where they were deleted
or an older knng built the graph. Without DIR/view lookups are some ten times slower;
programs with package store/reader need both.

--search makes the links in DIR/search that "knng search" follows, as the first search
does. DIR/reverse, view, catalog and search may be deleted: the graph itself is not touched.

--affinity FILE clusters the rows by affinity propagation over the lists and writes a
line for each row: row, exemplar. The similarity of two rows is minus their key (minus
the squared distance under euclidean), and that of a row to itself is --preference
(default the median similarity; a larger one makes more clusters).

Of a graph that was written to since it was built (knng append, delete) the report is of
the live rows, counted from 0 as by knng export. Flags that make something are for graphs
as they were built.

The graph is read in passes and may be larger than memory.`

// shares are those of the quantiles that are shown.
var shares = []float64{0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1}

type analyzeFlags struct {
	reverse bool
	view    bool
	search  bool
	top     int
	within  float32
	memory  string
	bytes   int64

	plot       string
	affinity   string
	preference float32
	preferred  bool // a preference was given
}

func newAnalyze(g *globals) *cobra.Command {
	a := new(analyzeFlags)
	c := &cobra.Command{
		Use: "analyze DIR", Short: "Components, mutual neighbors, hubs, duplicates, distances", Long: analyzeHelp,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, dirs []string) error {
			a.preferred = c.Flags().Changed("preference")
			if err := a.complete(); err != nil {
				return usageError{err}
			}
			return a.run(c.Context(), g, dirs[0])
		},
	}
	f := c.Flags()
	f.BoolVar(&a.reverse, "reverse", false, "build the in-neighbors and keep them in DIR/reverse")
	f.BoolVar(&a.view, "view", false, "make DIR/view and DIR/catalog again, by which lists and ids are looked up")
	f.BoolVar(&a.search, "search", false, "make the links in DIR/search, by which vectors are searched for")
	f.StringVar(&a.plot, "plot", "", "draw in-degrees, distances and the recall of 1,000 rows to this SVG file")
	f.IntVar(&a.top, "top", 10, "hubs and groups of equal rows to list")
	f.Float32Var(&a.within, "within", 0, "rows up to this distance count as duplicates (default 0, equal rows)")
	f.StringVar(&a.memory, "memory", "", "memory for lists, such as 512MiB (default half of the machine's or its cgroup's; with --reverse 256MiB)")
	f.StringVar(&a.affinity, "affinity", "", "cluster by affinity propagation and write row,exemplar to this CSV file")
	f.Float32Var(&a.preference, "preference", 0, "with --affinity: similarity of a row to itself (default the median of all pairs)")
	return c
}

func (a *analyzeFlags) complete() (err error) {
	if a.top < 0 {
		return fmt.Errorf("--top is %d, want 0 or more", a.top)
	}
	if !(a.within >= 0) {
		return fmt.Errorf("--within is %v, want a distance of 0 or more", a.within)
	}
	if a.preferred && a.affinity == "" {
		return errors.New("--preference belongs to --affinity FILE")
	}
	if p := float64(a.preference); math.IsNaN(p) || math.IsInf(p, 0) {
		return fmt.Errorf("--preference is %v, want a finite number", a.preference)
	}
	a.bytes, err = parseSize(a.memory)
	return err
}

// A graphReport is the findings of analyze.
type graphReport struct {
	Dir         string                `json:"dir"`
	Rows        int                   `json:"rows"`
	Lists       int                   `json:"lists"`
	K           int                   `json:"k"`
	Metric      string                `json:"metric"`
	Components  groupReport           `json:"components"`
	Mutual      *analysis.Reciprocity `json:"mutual"`
	Duplicates  *groupReport          `json:"duplicates,omitempty"` // absent under ip
	Shares      []float64             `json:"quantile_shares"`
	Hubness     *analysis.Hubness     `json:"hubness"`
	Distances   rankDistances         `json:"distances"`
	InNeighbors *store.Reverse        `json:"in_neighbors,omitempty"` // where they are built
	Affinity    *affinityReport       `json:"affinity,omitempty"`     // where it was asked for

	live bool // of the live rows of a graph that was written to
}

// rankDistances are quantiles of distances, by rank.
type rankDistances []analysis.RankDistances

// MarshalJSON writes them as analysis does, with null for distances that float32 does not hold.
func (d rankDistances) MarshalJSON() ([]byte, error) {
	type ranked struct {
		Rank      int              `json:"rank"`
		Rows      int              `json:"rows"`
		Mean      number.Float64   `json:"mean"`
		Quantiles []number.Float32 `json:"quantiles"`
	}
	list := make([]ranked, len(d))
	for i, r := range d {
		list[i] = ranked{r.Rank, r.Rows, number.Float64(r.Mean), nil}
		for _, q := range r.Quantiles {
			list[i].Quantiles = append(list[i].Quantiles, number.Float32(q))
		}
	}
	return json.Marshal(list)
}

// A groupReport describes components, or groups of duplicates.
type groupReport struct {
	Groups  int              `json:"groups"`
	Rows    int              `json:"rows"` // in these groups
	Alone   int              `json:"alone,omitempty"`
	Within  *number.Float32  `json:"within,omitempty"`
	Largest []analysis.Group `json:"largest"`
}

// groups describes those of at least so many rows.
func (a *analyzeFlags) groups(p *analysis.Partition, least int) groupReport {
	all := p.Groups(least)
	r := groupReport{Groups: len(all), Largest: all[:min(a.top, len(all))]}
	for _, group := range all {
		r.Rows += group.Size
		if group.Size == 1 {
			r.Alone++
		}
	}
	return r
}

func (a *analyzeFlags) run(ctx context.Context, g *globals, dir string) error {
	if err := noFile(a.affinity, a.plot); err != nil {
		return err
	}
	if living.Is(dir) {
		return a.runLiving(ctx, g, dir)
	}
	if a.view {
		if err := store.BuildView(ctx, dir); err != nil {
			return err
		}
	}
	s, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	w := &watched{s, watch{ctx: ctx, to: g.phases()}}
	if a.reverse {
		if err := a.buildReverse(ctx, dir, &steps{to: w.to}); err != nil {
			return err
		}
	}
	if a.search {
		if err := g.makeLinks(ctx, dir, a.bytes, &linked{show: g.reporter()}); err != nil {
			return err
		}
	}
	r, err := a.look(w)
	if err != nil {
		return err
	}
	r.Dir, r.Lists = dir, s.Info().Lists
	if in, err := w.Reverse(); err == nil {
		r.InNeighbors = &in
	} else if !errors.Is(err, store.ErrNoReverse) {
		return err
	}
	if a.affinity != "" {
		if r.Affinity, err = a.propagate(ctx, w); err != nil {
			return err
		}
	}
	if a.plot != "" {
		if err := a.draw(ctx, g, s, dir); err != nil {
			return err
		}
	}
	if g.json {
		return g.printJSON(r)
	}
	return showReport(g.stdout, r, w)
}

func (a *analyzeFlags) buildReverse(ctx context.Context, dir string, steps *steps) error {
	defer steps.end()
	_, err := store.BuildReverse(ctx, dir, &store.ReverseOptions{Memory: cmp.Or(a.bytes, 256<<20), Progress: func(phase string, done, total int) {
		steps.tell(phase, "rows", int64(done), int64(total))
	}})
	return err
}

// runLiving is run for a graph that was written to since it was built. What analyze keeps beside a graph or reads
// there is of the graph as it was built.
func (a *analyzeFlags) runLiving(ctx context.Context, g *globals, dir string) error {
	if a.reverse || a.view || a.search || a.plot != "" || a.affinity != "" {
		return fmt.Errorf("--reverse, --view, --search, --plot and --affinity: %w", notSealed(dir))
	}
	x, err := g.openLists(ctx, dir)
	if err != nil {
		return err
	}
	defer x.Close()
	r, err := a.look(x)
	if err != nil {
		return err
	}
	r.Dir, r.Lists, r.live = dir, x.Len(), true
	if g.json {
		return g.printWith(r, map[string]any{"living": true, "renumbered": x.(*liveLists).Renumbered()})
	}
	if err := showReport(g.stdout, r, x); err != nil {
		return err
	}
	if x.(*liveLists).Renumbered() {
		tellRenumbered(g.stdout, dir)
	}
	return nil
}

// look goes over the graph once for every part of the report.
func (a *analyzeFlags) look(w lists) (*graphReport, error) {
	r := &graphReport{Rows: w.Len(), K: w.K(), Metric: w.Info().Distance, Shares: shares}
	islands, err := analysis.Islands(begun(w, "components"))
	if err != nil {
		return nil, err
	}
	r.Components = a.groups(islands, 1)
	if r.Metric != "ip" {
		equal, err := analysis.Duplicates(begun(w, "duplicates"), a.within)
		if err != nil {
			return nil, err
		}
		groups := a.groups(equal, 2)
		within := number.Float32(a.within)
		groups.Within = &within
		r.Duplicates = &groups
	}
	if r.Mutual, err = analysis.MeasureReciprocity(begun(w, "mutual neighbors"), cmp.Or(a.bytes, builder.DefaultMemory())); err != nil {
		return nil, err
	}
	if r.Hubness, err = analysis.MeasureHubness(begun(w, "hubs"), shares, a.top); err != nil {
		return nil, err
	}
	if r.Distances, err = analysis.MeasureDistances(begun(w, "distances"), threeRanks(w.K()), shares); err != nil {
		return nil, err
	}
	return r, nil
}

// threeRanks are the first, the middle and the last.
func threeRanks(k int) []int {
	if k == 0 {
		return nil
	}
	return slices.Compact([]int{1, (k + 1) / 2, k})
}
