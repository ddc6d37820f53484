// Package duplicates measures the cost of identical rows: it builds one data set
// with more and more of its rows replaced by copies of others.
package duplicates

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
)

// Config is the builds to make.
type Config struct {
	Inputs  []string
	Limit   int // read only so many rows; 0: all
	Options builder.Options
	Scratch string // folder for the stores, which are removed one by one
}

// A Case is a share of rows that repeat others.
type Case struct {
	Percent int
	One     bool // all copies are of one row: a single large group
}

// Cases begins with the baseline of the others.
var Cases = []Case{{0, false}, {10, false}, {50, false}, {10, true}, {50, true}, {100, true}}

func (c Case) String() string {
	if c.One {
		return fmt.Sprintf("%d %% are one row", c.Percent)
	}
	return fmt.Sprintf("%d %% repeat a row", c.Percent)
}

// Row is one build.
type Row struct {
	Case       Case
	Duplicates builder.Duplicates
	Result     *builder.Result
}

// Run builds every case, with duplicates kept and collapsed, and tells each
// outcome to done.
func (c *Config) Run(ctx context.Context, done func(Row)) error {
	in, err := vectors.Open(c.Inputs, &vectors.OpenOptions{Limit: c.Limit})
	if err != nil {
		return err
	}
	defer in.Close()
	dir, err := os.MkdirTemp(c.Scratch, "duplicates-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, one := range Cases {
		rows, err := one.rows(in)
		if err != nil {
			return err
		}
		for _, treatment := range []builder.Duplicates{builder.Keep, builder.Collapse} {
			o := c.Options
			o.Duplicates = treatment
			graph := filepath.Join(dir, "graph")
			result, err := builder.Build(ctx, graph, vectors.NewInput(rows), o)
			if err != nil {
				return fmt.Errorf("%v, %s: %w", one, treatment, err)
			}
			done(Row{one, treatment, result})
			if err := os.RemoveAll(graph); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows copies the input into memory with a share of its rows replaced.
func (c Case) rows(in *vectors.Input) (*vectors.Rows, error) {
	size := in.Dim() * in.Type().Size()
	data := make([]byte, in.Len()*size)
	if err := in.ReadRows(0, data); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(1, uint64(c.Percent)))
	for i := 1; i < in.Len(); i++ {
		if rng.IntN(100) >= c.Percent {
			continue
		}
		from := 0
		if !c.One {
			from = rng.IntN(i)
		}
		copy(data[i*size:(i+1)*size], data[from*size:])
	}
	return vectors.RowsOf(data, in.Len(), in.Dim(), size, in.Type())
}

// A Table prints rows beside the first of them.
type Table struct{ first *builder.Result }

// Add prints one row.
func (t *Table) Add(w io.Writer, r Row) {
	if t.first == nil {
		t.first = r.Result
		fmt.Fprintf(w, "%d rows of %d %s, k=%d, %s\n", r.Result.Rows, r.Result.Dim, r.Result.Type, r.Result.K, r.Result.Metric)
		fmt.Fprintf(w, "%-20s %-9s %-7s %8s %8s %7s %7s %8s %9s\n", "rows", "they are", "method", "seconds", "of CPU", "ratio", "of CPU", "recall", "collapsed")
	}
	res := r.Result
	fmt.Fprintf(w, "%-20s %-9s %-7s %8.2f %8.2f %7.2f %7.2f %8.4f %9d\n", r.Case, r.Duplicates, res.Method, res.Seconds, res.CPUSeconds,
		res.Seconds/t.first.Seconds, res.CPUSeconds/t.first.CPUSeconds, res.Recall.Recall, res.Collapsed)
}
