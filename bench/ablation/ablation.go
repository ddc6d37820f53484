// Package ablation builds one data set by the paper's method and again with each
// of its parts switched off or changed in turn. SecondOrder is the
// refinement that best-first propagation replaced. bench/cmd/ablation does this for all rows
// of a file; bench/paper shows it on its page.
package ablation

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/bench/judge"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// Config is the builds to make and their baseline.
type Config struct {
	Inputs  []string
	Truth   string // exact lists, with Rows; "" measures on a sample of 1,000 rows
	Rows    string
	K       int
	Limit   int
	Threads int
	Scratch string   // folder for the stores, which are removed one by one
	Only    []string // names of variants; none is all
}

// A Variant is the paper's method with one change.
type Variant struct {
	Name    string
	Change  func(o *builder.Options)
	Threads bool // it changes the number of threads only: the same graph
}

// Options are those of a variant, for lists of k.
func (v Variant) Options(k int) builder.Options {
	o := builder.Options{K: k, Method: builder.Paper, Rounds: 1}
	v.Change(&o)
	return o
}

// Variants lists the changes. Without one, divisions are made until the
// effective rate falls under 0.05 and one round of propagation follows.
var Variants = []Variant{
	{Name: "paper", Change: func(*builder.Options) {}},
	{Name: "no propagation", Change: func(o *builder.Options) { o.Propagation = builder.Off }},
	{Name: "no pairwise update", Change: func(o *builder.Options) { o.Paper.Pairwise = builder.Off }},
	{Name: "pair cache off", Change: func(o *builder.Options) { o.PairCache = builder.Off }},
	{Name: "pair cache on", Change: func(o *builder.Options) { o.PairCache = builder.On }},
	{Name: "random directions", Change: func(o *builder.Options) { o.Paper.Directions = builder.Random }},
	{Name: "trigger 0.10", Change: func(o *builder.Options) { o.Paper.Trigger = 0.10 }},
	{Name: "trigger 0.02", Change: func(o *builder.Options) { o.Paper.Trigger = 0.02 }},
	{Name: "sample 25", Change: func(o *builder.Options) { o.Paper.Sample = 25 }},
	{Name: "sample 400", Change: func(o *builder.Options) { o.Paper.Sample = 400 }},
	{Name: "leaves of 250", Change: func(o *builder.Options) { o.LeafSize = 250 }},
	{Name: "leaves of 1000", Change: func(o *builder.Options) { o.LeafSize = 1000 }},
	{Name: "T 250", Change: func(o *builder.Options) { o.Paper.Visits = 250 }},
	{Name: "T 1000", Change: func(o *builder.Options) { o.Paper.Visits = 1000 }},
	{Name: "two rounds", Change: func(o *builder.Options) { o.Rounds = 2 }},
	{Name: "one thread", Change: func(o *builder.Options) { o.Threads = 1 }, Threads: true},
	{Name: "in place", Change: func(o *builder.Options) { o.Paper.InPlace, o.Threads = true, 1 }},
	{Name: "two rounds in place", Change: func(o *builder.Options) { o.Paper.InPlace, o.Threads, o.Rounds = true, 1, 2 }},
}

// Row is one variant's outcome.
type Row struct {
	Variant  string                 `json:"variant"`
	Accuracy builder.RecallEstimate `json:"accuracy"` // against the truth
	Result   *builder.Result        `json:"result"`
}

// Run builds the variants one after the other and tells each outcome to done.
func (c *Config) Run(ctx context.Context, done func(Row) error) error {
	for _, v := range Variants {
		if !c.wanted(v.Name) {
			continue
		}
		row, err := c.one(ctx, v)
		if err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
		if err := done(row); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) wanted(name string) bool {
	for _, n := range c.Only {
		if n == name {
			return true
		}
	}
	return len(c.Only) == 0
}

func (c *Config) one(ctx context.Context, v Variant) (row Row, err error) {
	dir, err := os.MkdirTemp(c.Scratch, "ablation-")
	if err != nil {
		return row, err
	}
	defer os.RemoveAll(dir)
	in, err := vectors.Open(c.Inputs, &vectors.OpenOptions{Limit: c.Limit, Scratch: dir})
	if err != nil {
		return row, err
	}
	defer in.Close()
	o := v.Options(c.K)
	o.Threads = cmp.Or(o.Threads, c.Threads)
	row.Variant = v.Name
	graph := filepath.Join(dir, "graph")
	if row.Result, err = builder.Build(ctx, graph, in, o); err != nil {
		return row, err
	}
	row.Accuracy, err = c.accuracy(ctx, graph)
	return row, err
}

// accuracy is the recall against the truth files, or on a sample.
func (c *Config) accuracy(ctx context.Context, graph string) (est builder.RecallEstimate, err error) {
	s, err := store.Open(graph, nil)
	if err != nil {
		return est, err
	}
	defer s.Close()
	if c.Truth == "" {
		return builder.MeasureRecall(ctx, s, 1000, 1, nil)
	}
	j, err := judge.New(c.Truth, c.Rows, s.Len(), metricOf(s))
	if err != nil {
		return est, err
	}
	return j.Store(s)
}
