package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// recallOfSearch are flags of recall that measure search.
type recallOfSearch struct {
	queries string
	k       int
	efforts []int
	columns
}

func (r *recallOfSearch) bind(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&r.queries, "queries", "", "measure search, with the vectors in this file as queries")
	f.IntVarP(&r.k, "k", "k", 10, "with --queries: results of a query")
	f.IntSliceVar(&r.efforts, "effort", []int{10, 16, 24, 32, 48, 64, 96, 128}, "with --queries: efforts to measure")
	r.columns.bind(f)
}

// check refuses flags that go without others.
func (r *recallOfSearch) check(c *cobra.Command) error {
	for _, name := range []string{"k", "effort", "column", "id-column", "header"} {
		if r.queries == "" && c.Flags().Changed(name) {
			return fmt.Errorf("--%s belongs to --queries", name)
		}
	}
	for _, name := range []string{"truth", "rows", "sample", "seed"} {
		if r.queries != "" && c.Flags().Changed(name) {
			return fmt.Errorf("--%s measures the lists, --queries search: want one of them", name)
		}
	}
	if r.k < 1 {
		return fmt.Errorf("-k is %d, want 1 or more", r.k)
	}
	for _, e := range r.efforts {
		if e < 1 {
			return fmt.Errorf("--effort is %d, want 1 or more", e)
		}
	}
	return nil
}

// An effortRecall is the recall of searches with an effort.
type effortRecall struct {
	Effort      int     `json:"effort"`
	Recall      float64 `json:"recall"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	Evaluations float64 `json:"evaluations"` // distances a query
	Hops        float64 `json:"hops"`        // rows a query whose links were followed
}

// run measures search against exact answers.
func (r *recallOfSearch) run(ctx context.Context, g *globals, s *store.Store) error {
	w, err := g.openSearch(ctx, s, 0, false)
	if err != nil {
		return err
	}
	defer w.Close()
	in, err := g.openSuiting(ctx, []string{r.queries}, r.columns.options(), w.Dim())
	if err != nil {
		return err
	}
	defer in.Close()
	exact, err := w.SearchAll(ctx, in, search.Query{K: r.k, Exact: true})
	if err != nil {
		return err
	}
	var all []effortRecall
	for _, effort := range r.efforts {
		e, err := r.measure(ctx, w, in, exact, effort)
		if err != nil {
			return err
		}
		all = append(all, e)
	}
	if g.json {
		return g.printJSON(map[string]any{"k": r.k, "queries": in.Len(), "leaders": w.Leaders(), "efforts": all})
	}
	fmt.Fprintf(g.stdout, "search of %d queries, k=%d; comparisons include %d leaders\n", in.Len(), r.k, w.Leaders())
	for _, e := range all {
		fmt.Fprintf(g.stdout, "effort %-6d recall@%d %.4f, 95 %% interval %.4f to %.4f, %.0f comparisons and %.1f hops a query\n",
			e.Effort, r.k, e.Recall, e.Low, e.High, e.Evaluations, e.Hops)
	}
	return nil
}

func (r *recallOfSearch) measure(ctx context.Context, w *search.Searcher, in *vectors.Input, exact [][]store.Neighbor, effort int) (e effortRecall, err error) {
	before := w.Counts()
	found, err := w.SearchAll(ctx, in, search.Query{K: r.k, Effort: effort})
	if err != nil {
		return e, err
	}
	cost := w.Counts().Sub(before)
	per := make([]float64, len(found))
	for i := range found {
		per[i] = search.Recall(found[i], exact[i])
	}
	e = effortRecall{Effort: effort, Evaluations: cost.PerQuery(), Hops: float64(cost.Hops) / float64(max(1, cost.Queries))}
	// The queries stand for very many like them.
	e.Recall, e.Low, e.High = recall.Interval(per, 1<<40, 1)
	return e, nil
}
