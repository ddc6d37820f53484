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
		if t, err = tune(ctx, g, v.Searcher(), f.k, f.recall); err != nil {
			return err
		}
		q.Effort = t.Effort
	}
	found, err := v.SearchAll(ctx, in, q, runtime.GOMAXPROCS(0))
	if err = ofQueries(err, a[1:]); err != nil {
		return err
	}
	if f.out != "" {
		err = f.write(g, found, t)
	} else {
		err = printFound(g, v, a[0], found, t)
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
	row, err := livingRow(v, f.id, f.row)
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

// livingRow is the row of an id, or of a number.
func livingRow(v *living.View, id, number string) (store.Row, error) {
	if id != "" {
		return v.RowOf(id)
	}
	row, err := strconv.ParseUint(number, 10, 63)
	if err != nil {
		return 0, usageError{fmt.Errorf("%q, want a row number", number)}
	}
	return store.Row(row), nil
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

func printFound(g *globals, v *living.View, dir string, found [][]store.Neighbor, t *tuned) (err error) {
	lists := make([]foundList, len(found))
	for i, list := range found {
		if lists[i].Neighbors, err = livingNeighbors(v, list); err != nil {
			return err
		}
		lists[i].Query = i
	}
	if g.json {
		return g.printJSON(map[string]any{"dir": dir, "metric": v.State().Metric, "tuned": t, "queries": lists})
	}
	for i, list := range lists {
		if i > 0 {
			fmt.Fprintln(g.stdout)
		}
		fmt.Fprintf(g.stdout, "query %d\n", list.Query)
		for _, n := range list.Neighbors {
			fmt.Fprintf(g.stdout, "%5d %10d  %-12.6g %s\n", n.Rank, n.Row, n.Distance, oneLine(n.ID))
		}
	}
	return nil
}

func livingNeighbors(v *living.View, found []store.Neighbor) ([]shownNeighbor, error) {
	list := make([]shownNeighbor, 0, len(found))
	for i, n := range found {
		id, err := v.ID(n.Row)
		if err != nil {
			return nil, err
		}
		shown := shownNeighbor{Rank: i + 1, Row: uint64(n.Row), ID: id, Distance: n.Distance}
		if v.State().Metric == "ip" {
			similarity := 0 - n.Distance // never -0
			shown.Similarity = &similarity
		}
		list = append(list, shown)
	}
	return list, nil
}

// runLiving is run for a graph that is written to.
func (n *neighborsFlags) runLiving(g *globals, dir string, names []string) error {
	v, err := living.OpenReader(dir, nil)
	if err != nil {
		return err
	}
	defer v.Close()
	if err := n.fits(dir, v.State().K); err != nil {
		return err
	}
	var lists []neighborList
	for _, name := range names {
		id, number := "", name
		if n.byID {
			id, number = name, ""
		}
		row, err := livingRow(v, id, number)
		if err != nil {
			return err
		}
		found, err := v.Neighbors(row, nil)
		if err != nil {
			return err
		}
		if n.k > 0 {
			found = found[:min(n.k, len(found))]
		}
		list := neighborList{Row: uint64(row)}
		if list.ID, err = v.ID(row); err != nil {
			return err
		}
		if list.Neighbors, err = livingNeighbors(v, found); err != nil {
			return err
		}
		lists = append(lists, list)
	}
	if g.json {
		return g.printJSON(map[string]any{"dir": dir, "metric": v.State().Metric, "lists": lists})
	}
	for i, list := range lists {
		if i > 0 {
			fmt.Fprintln(g.stdout)
		}
		printList(g, list)
	}
	return nil
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
	for _, e := range all {
		fmt.Fprintf(g.stdout, "effort %-6d recall@%d %.4f, 95 %% interval %.4f to %.4f\n", e.Effort, r.k, e.Recall, e.Low, e.High)
	}
	return nil
}
