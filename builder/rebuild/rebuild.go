// Package rebuild makes new graphs of living stores: it compacts one store ([Compact]), and merges several
// into a new one ([Merge]). Both are builds, and are interrupted and continued like any other.
package rebuild

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// Options tunes a compaction or a merge. The zero value works.
type Options struct {
	// Recall is the target of the new graph, over the shown entries of a list. 0: the target of the graph
	// before, or the default of builds, over all entries.
	Recall float64

	// These shape no result.
	Threads  int                              // 0: GOMAXPROCS
	Memory   int64                            // bytes, as builder.Options.Memory; 0: builder.DefaultMemory
	Progress func(builder.Event)              // called from one goroutine at a time; nil: nobody listens
	Logger   func(format string, args ...any) // Pebble's complaints, and what else a program should log; nil drops them
}

// Compact makes a new base of all live rows of a store that is open for writing, while it is read and
// written; see living.DB.Compact. With Options.Recall it also works if nothing was written since the last
// compaction: it then makes a better graph, starting from the lists of the base.
//
// If the graph is below the recall asked for, the error is builder.ErrBelowTarget, and the store is
// compacted all the same. Cancelling ctx stops it; the next call with the same Recall continues. Errors:
// those of living.DB.Compact and builder.Build.
func Compact(ctx context.Context, db *living.DB, o Options) error {
	name := ""
	if o.Recall != 0 {
		name = fmt.Sprintf("recall=%v", o.Recall)
	}
	var short error
	err := db.Compact(ctx, name, func(ctx context.Context, job living.Job) (err error) {
		short, err = o.rebuild(ctx, job)
		return err
	})
	if err != nil {
		return err
	}
	return short
}

// build builds, or continues, and makes the links of search. short is builder.ErrBelowTarget if the graph is
// below its target.
func build(ctx context.Context, dir string, rows vectors.Source, o builder.Options) (short, err error) {
	in := vectors.NewInput(rows)
	result, err := builder.Build(ctx, dir, in, o)
	if err != nil && !errors.Is(err, store.ErrFinished) {
		return nil, err
	}
	g, err := store.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	return result.Err(), search.Make(g, &search.Options{Context: ctx, Threads: o.Threads})
}

// like returns the options that a store was built with, as far as they suit any rows, with o's own.
func (o *Options) like(old *store.Store) (builder.Options, error) {
	b := builder.Options{Threads: o.Threads, Memory: o.Memory, Progress: o.Progress, Logger: o.Logger}
	if old != nil {
		if err := take(&b, old.Info().Manifest); err != nil {
			return b, err
		}
	}
	if o.Recall != 0 {
		b.Recall, b.Divisions, b.Rounds = o.Recall, 0, 0
	}
	return b, b.Validate()
}

// take reads options from a manifest. Leaf sizes and limits suit particular rows, so the builder chooses
// them anew.
func take(b *builder.Options, m store.Manifest) error {
	for _, option := range m.Options {
		var err error
		switch v := option.Value; option.Name {
		case "recall":
			b.Recall, err = strconv.ParseFloat(v, 64)
		case "seed":
			b.Seed, err = strconv.ParseUint(v, 10, 64)
		case "method":
			b.Method = builder.Method(v)
		case "duplicates":
			kind, most, _ := strings.Cut(v, " to ")
			b.Duplicates = builder.Duplicates(kind)
			if most != "" {
				b.Copies, err = strconv.Atoi(most)
			}
		}
		if err != nil {
			return fmt.Errorf("%w: option %s is %q", store.ErrCorrupt, option.Name, option.Value)
		}
	}
	return nil
}

// Auto returns a function for living.Options.Rebuild. o.Recall must be 0: the target is that of the graph
// before. If a graph is below it, o.Logger gets a message.
func Auto(o Options) living.Rebuild {
	return func(ctx context.Context, job living.Job) error {
		short, err := o.rebuild(ctx, job)
		if short != nil && o.Logger != nil {
			o.Logger("%s: %v", job.Dir, short)
		}
		return err
	}
}

// rebuild does a job.
func (o *Options) rebuild(ctx context.Context, job living.Job) (short, err error) {
	options, err := o.like(job.Old)
	if err != nil {
		return nil, err
	}
	if err := sound(ctx, job.Old); err != nil {
		return nil, err
	}
	options.Held = job.Rows.Memory()
	options.K, options.Metric, options.IDs = min(job.K, builder.MaxK), job.Like.Metric, job.IDs
	options.Scale = &job.Scale
	if o.Recall != 0 && job.Old != nil && job.Scale == scaleOf(job.Old) { // else the keys of its lists are others
		options.Spare = max(0, options.K-job.Like.K)
		options.Start = &builder.Start{Name: job.Rows.Name(), Near: job.Rows.Near, Ends: []int{job.Rows.Len()}}
	}
	short, err = build(ctx, job.Dir, job.Rows, options)
	return short, badRow(err, func(i int) string { return rowName(job.Rows, i) })
}

// sound returns an error if the rows of a store (nil: there is none) have changed since they were written.
// The new store would seal the damage.
func sound(ctx context.Context, old *store.Store) error {
	if old == nil {
		return nil
	}
	return old.CheckRows(ctx)
}

// badRow adds to an error about bad rows the name of the first one in its living store. It returns other
// errors unchanged.
func badRow(err error, name func(i int) string) error {
	bad := new(builder.BadRowsError)
	if !errors.As(err, &bad) {
		return err
	}
	others := ""
	if n := len(bad.Rows) - 1; n > 0 {
		others = fmt.Sprintf(" (%d others are bad as well)", n)
	}
	return fmt.Errorf("%w: %s: %s%s; delete it from its store", builder.ErrBadRows, name(int(bad.Rows[0])), bad.Why, others)
}

// rowName names row i of a source by its number in the store, and its id where it has one.
func rowName(rows *living.Source, i int) string {
	name := fmt.Sprintf("row %d", rows.Row(i))
	if id, err := rows.ID(i); err == nil && id != "" {
		name += fmt.Sprintf(", %q", id)
	}
	return name
}

// scaleOf is the exponent by which the rows of a store are scaled.
func scaleOf(g *store.Store) int {
	m := g.Info().Manifest
	return m.Scale()
}
