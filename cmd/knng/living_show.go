package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// livingInfo describes a graph that is written to.
func livingInfo(ctx context.Context, g *globals, dir string) error {
	v, err := living.OpenReader(dir, nil)
	if err != nil {
		return err
	}
	defer v.Close()
	return showLiving(ctx, g, dir, v)
}

func showLiving(ctx context.Context, g *globals, dir string, v *living.View) error {
	st, built, checksum := v.State(), new(builder.Result), ""
	now, err := rebuild.Controls(ctx, v, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	if base := v.Base(); base != nil {
		checksum = base.Info().Checksum
		if err := json.Unmarshal(base.Info().Result, built); err != nil {
			return fmt.Errorf("result stored in %s: %w", base.Dir(), err)
		}
	}
	if g.json {
		members := map[string]any{"dir": dir, "living": true, "finished": true, "checksum": checksum, "recall_estimate": built.Recall, "recall_now": nil}
		if now.Sample > 0 {
			members["recall_now"] = now
		}
		return g.printWith(st, members)
	}
	fmt.Fprintf(g.stdout, "%s: %d rows of %d %s, k=%d, %s, written to since it was built\n", dir, st.Rows, st.Dim, st.Type, st.K, st.Metric)
	if st.Base != "" {
		fmt.Fprintf(g.stdout, "graph      %d live rows in %s, and %d brought in since\n", st.Rows-st.Pending-st.Layered, st.Base, st.Layered)
	}
	if built.Recall.Sample == 0 && built.Recall.Recall == 1 {
		fmt.Fprintln(g.stdout, "recall     1.0000, when that was built: all rows were compared with all")
	}
	if built.Recall.Sample > 0 {
		fmt.Fprintf(g.stdout, "recall     %.4f, 95 %% interval %.4f to %.4f, when that was built\n", built.Recall.Recall, built.Recall.Low, built.Recall.High)
	}
	if now.Sample > 0 {
		fmt.Fprintf(g.stdout, "recall now %.4f, 95 %% interval %.4f to %.4f, by %d rows whose exact lists are kept\n", now.Recall, now.Low, now.High, now.Sample)
	} else {
		fmt.Fprintf(g.stdout, "recall now is measured by knng recall %s\n", operand(dir))
	}
	fmt.Fprintf(g.stdout, "pending    %d rows that are in no graph yet; every search compares its query with them\n", st.Pending)
	fmt.Fprintf(g.stdout, "dead       %d rows that take space until the next compaction\n", st.Dead)
	fmt.Fprintf(g.stdout, "written    %d operations; the next row is %d\n", st.Ops, st.NextRow)
	if st.Unended {
		fmt.Fprintf(g.stdout, "compaction begun and not ended: knng compact %s continues it\n", operand(dir))
	} else if st.Due {
		fmt.Fprintf(g.stdout, "compaction would pay: knng compact %s\n", operand(dir))
	}
	return nil
}

// runLiving is run for a graph that is written to.
func (f *searchFlags) runLiving(ctx context.Context, g *globals, a []string) error {
	v, err := g.openLivingSearch(ctx, a[0], f.budget, f.exact)
	if err != nil {
		return err
	}
	defer v.Close()
	f.bound(v.Len())
	q := living.Query{K: f.query.K, Effort: f.query.Effort, Within: f.query.Within, Exact: f.query.Exact}
	if f.filter != "" {
		if q.Only, err = livingSet(v, f.filter); err != nil {
			return err
		}
	}
	in, err := f.livingQueries(ctx, g, v, a[1:])
	if err != nil {
		return err
	}
	defer in.Close()
	var t *tuned
	if f.recall > 0 && v.Searcher() != nil {
		t, err = tune(g, v.Len(), f.tuning(), func(o search.TuneOptions) (search.Tuned, error) { return v.Tune(ctx, o, runtime.GOMAXPROCS(0)) })
		if err != nil {
			return err
		}
		q.Effort = t.Effort
	}
	found, err := v.SearchAll(ctx, in, q, runtime.GOMAXPROCS(0))
	if err = ofQueries(err, a[1:]); err == nil {
		err = f.show(g, shownView{v}, found, t, map[string]any{"dir": a[0]})
	}
	if err != nil {
		return err
	}
	return f.reached(t)
}

// openLivingSearch is openSearch for a graph that is written to.
func (g *globals) openLivingSearch(ctx context.Context, dir string, budget int64, exact bool) (*living.View, error) {
	o, end := g.searchOptions(ctx, budget)
	defer end()
	o.Exact = exact
	v, err := living.OpenReader(dir, &living.ReadOptions{Search: o})
	if err != nil {
		return nil, err
	}
	if s := v.Searcher(); s != nil && !exact {
		g.tellSearch(s)
	}
	return v, nil
}

func (f *searchFlags) livingQueries(ctx context.Context, g *globals, v *living.View, paths []string) (*vectors.Input, error) {
	if len(paths) > 0 {
		return g.openSuiting(ctx, paths, f.columns.options(), v.Dim())
	}
	row, err := f.rowOf(shownView{v})
	if err != nil {
		return nil, err
	}
	values, err := v.Vector(row, nil)
	if err != nil {
		return nil, err
	}
	rows, err := vectors.FromFloat32(values, v.Dim())
	if err != nil {
		return nil, err
	}
	return vectors.NewInput(rows), nil
}

// livingSet reads ids, or numbers of rows that have none.
func livingSet(v *living.View, path string) (*living.Set, error) {
	var rows []store.Row
	err := eachLineOf(path, func(line string) error {
		row, err := v.RowOf(line)
		if errors.Is(err, store.ErrNoID) {
			n, bad := strconv.ParseUint(line, 10, 63)
			if row, err = store.Row(n), nil; bad != nil || !unnamed(v, row) {
				err = fmt.Errorf("%w: %q is neither an id nor the number of a row without one", store.ErrNoID, line)
			}
		}
		rows = append(rows, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v.Only(rows)
}

// unnamed reports whether a row lives and has no id. One that has is named by it alone: a number
// may be an id that is gone.
func unnamed(v *living.View, row store.Row) bool {
	id, err := v.ID(row)
	return err == nil && id == ""
}

// runLiving measures the lists of a graph that is written to, or searches in it.
func (r *recallFlags) runLiving(ctx context.Context, g *globals, dir string) error {
	v, err := living.OpenReader(dir, nil)
	if err != nil {
		return err
	}
	defer v.Close()
	if r.search.queries != "" {
		return r.search.runLiving(ctx, g, v)
	}
	if r.truth != "" {
		return usageError{fmt.Errorf("%s has had rows put or deleted since it was built, and --truth is of the rows before: give --sample or --queries", dir)}
	}
	est := measured{K: min(v.State().K, max(0, v.Len()-1))}
	if est.RecallEstimate, err = rebuild.Recall(ctx, v, r.sample, r.seed, runtime.GOMAXPROCS(0)); err != nil {
		return err
	}
	if g.json {
		return g.printJSON(est)
	}
	est.print(g)
	return nil
}

func (r *recallOfSearch) runLiving(ctx context.Context, g *globals, v *living.View) error {
	in, err := g.openSuiting(ctx, []string{r.queries}, r.columns.options(), v.Dim())
	if err != nil {
		return err
	}
	defer in.Close()
	threads := runtime.GOMAXPROCS(0)
	exact, err := v.SearchAll(ctx, in, living.Query{K: r.k, Exact: true}, threads)
	if err != nil {
		return err
	}
	var all []effortRecall
	for _, effort := range r.efforts {
		found, err := v.SearchAll(ctx, in, living.Query{K: r.k, Effort: effort}, threads)
		if err != nil {
			return err
		}
		per := make([]float64, len(found))
		for i := range found {
			per[i] = search.Recall(found[i], exact[i])
		}
		e := effortRecall{Effort: effort}
		e.Recall, e.Low, e.High = recall.Interval(per, 1<<40, 1)
		all = append(all, e)
	}
	if g.json {
		return g.printJSON(map[string]any{"k": r.k, "queries": in.Len(), "efforts": all})
	}
	if v.Len() == 0 {
		fmt.Fprintln(g.stdout, "there is no recall to measure: no row lives")
		return nil
	}
	for _, e := range all {
		fmt.Fprintf(g.stdout, "effort %-6d recall@%d %.4f, 95 %% interval %.4f to %.4f\n", e.Effort, r.k, e.Recall, e.Low, e.High)
	}
	return nil
}
