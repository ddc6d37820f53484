package shapes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Config says which graphs to build.
type Config struct {
	Only    *regexp.Regexp    // of the names of shapes; nil is all
	Metrics []distance.Metric // of those of a shape; none is all
	More    bool              // those of More too
	Scale   float64
	Methods []builder.Method
	Targets []float64
	K       int
	Sample  int // rows compared by brute force
	Draws   int // above 0: all rows are looked at beside a graph of all pairs, and so many samples of them drawn
	Builds  int // above 0: the same, of so many builds with seeds of their own in place of one
	Seed    uint64
	Threads int
	Lines   io.Writer // takes the lines that builds tell; nil: nobody listens
	Scratch string    // folder for the stores, which are removed one by one
}

// Row is one graph beside brute force.
type Row struct {
	Shape   string
	N, Dim  int
	Metric  distance.Metric
	Method  builder.Method // asked for
	Target  float64
	Found   float64 // by brute force
	Result  *builder.Result
	Draws   int     // samples drawn of the graph's rows
	Held    float64 // share of their intervals that hold the recall of all rows
	Builds  int     // above 0: the row is the mean of so many
	Below   int     // of Builds, those that fell short by more than is allowed
	Ended   int     // of Builds, those that say that they fell short
	Told    bool    // the build itself said that it fell short
	Pairs   float64
	Failure string
}

// allowed is how far under its target a build may come: the error of its steering sample.
const allowed = 0.005

// interval is the share of sampled rows by which Found itself may be off.
const interval = 0.01

// dear is how many times the pairs of brute force a build may take.
const dear = 1.2

// Faults lists the promises that the row breaks; none where all is well.
func (r *Row) Faults() (faults []string) {
	if r.Failure != "" {
		return []string{r.Failure}
	}
	if r.Found < r.Target-allowed {
		if r.Told {
			faults = append(faults, "short, and told")
		} else {
			faults = append(faults, "SHORT")
		}
	}
	if r.Builds == 0 && !r.Inside() {
		faults = append(faults, "interval")
	}
	if r.Pairs > dear && r.N > 5000 { // the samples that steer are all rows of a small set
		faults = append(faults, "dear")
	}
	return faults
}

// Inside reports whether the reported interval holds the recall found, up to the error
// of the latter.
func (r *Row) Inside() bool { return r.inside(interval) }

// Strictly reports whether it holds the recall found with no allowance.
func (r *Row) Strictly() bool { return r.inside(0) }

func (r *Row) inside(by float64) bool {
	e := r.Result.Recall
	return r.Found >= e.Low-by && r.Found <= e.High+by
}

// Run builds every graph and hands its row to done.
func (c *Config) Run(ctx context.Context, done func(Row)) error {
	dir, err := os.MkdirTemp(c.Scratch, "shapes-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all := All()
	if c.More {
		all = slices.Concat(all, More())
	}
	for _, shape := range all {
		if c.Only != nil && !c.Only.MatchString(shape.Name) {
			continue
		}
		rows, err := shape.Make(c.Scale, c.Seed)
		if err != nil {
			return fmt.Errorf("shape %s: %w", shape.Name, err)
		}
		for _, metric := range shape.Metrics {
			if len(c.Metrics) > 0 && !slices.Contains(c.Metrics, metric) {
				continue
			}
			if err := c.metric(ctx, &shape, rows, metric, filepath.Join(dir, "graph"), done); err != nil {
				return err
			}
		}
	}
	return c.sparse(ctx, dir, done)
}

// metric builds the graphs of one metric.
func (c *Config) metric(ctx context.Context, shape *Shape, rows *vectors.Rows, metric distance.Metric, dir string, done func(Row)) error {
	truth, err := newOracle(rows, metric, c.K, c.Sample, c.Threads)
	if err != nil {
		return err
	}
	var all *whole
	if c.Draws > 0 || c.Builds > 0 {
		if all, err = c.newWhole(ctx, rows, metric, truth, dir); err != nil {
			return fmt.Errorf("shape %s, %v: %w", shape.Name, metric, err)
		}
	}
	for _, method := range c.Methods {
		for _, target := range c.Targets {
			r := Row{Shape: shape.Name, N: rows.Len(), Dim: rows.Dim(), Metric: metric, Method: method, Target: target}
			build := c.one
			if c.Builds > 0 {
				build = c.many
			}
			if err := build(ctx, rows, truth, all, dir, &r); err != nil {
				r.Failure = err.Error()
			}
			done(r)
			if err := errors.Join(ctx.Err(), os.RemoveAll(dir)); err != nil {
				return err
			}
		}
	}
	return nil
}

// one builds a graph and fills in the row.
func (c *Config) one(ctx context.Context, rows *vectors.Rows, truth *oracle, whole *whole, dir string, r *Row) (err error) {
	return c.seeded(ctx, rows, truth, whole, dir, 0, r)
}

// seeded is one of a seed; 0 is that of the default.
func (c *Config) seeded(ctx context.Context, rows *vectors.Rows, truth *oracle, whole *whole, dir string, seed uint64, r *Row) (err error) {
	o := builder.Options{K: c.K, Metric: r.Metric, Method: r.Method, Recall: r.Target, Seed: seed, Threads: c.Threads, BadRows: builder.Isolate, Progress: c.tell}
	r.Result, err = builder.Build(ctx, dir, vectors.NewInput(rows), o)
	if r.Result == nil {
		return err
	}
	r.Told = err != nil || r.Result.Recall.High < r.Target
	all := float64(r.N) * float64(r.N-1) / 2
	r.Pairs = float64(r.Result.Comparisons+r.Result.ControlPairs) / max(1, all)
	g, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	if whole != nil {
		return errors.Join(whole.look(g, r, c.Seed), g.Close())
	}
	r.Found, err = truth.recall(g)
	return errors.Join(err, g.Close())
}

func (c *Config) tell(e builder.Event) {
	if c.Lines != nil && e.Message != "" {
		fmt.Fprintf(c.Lines, "    %s\n", e.Message)
	}
}

// Head prints the names of the columns.
func Head(w io.Writer) {
	fmt.Fprintln(w, "| shape | rows x dim | metric | method | asked | found | reported | pairs of all | seconds | of processors | draws held | |\n|---|---|---|---|---|---|---|---|---|---|---|---|")
}

// HeadTSV prints the names of the columns of Tabs.
func HeadTSV(w io.Writer) error {
	_, err := fmt.Fprintln(w, "shape\trows\tdim\tmetric\tmethod\tused\tasked\tfound\treported\tlow\thigh\tpairs\tcpu_seconds")
	return err
}

// Tabs prints the row as a line of tab-separated values. A build that failed has no values of its own.
func (r *Row) Tabs(w io.Writer) error {
	results := strings.Repeat("\t", 5)
	used := ""
	if r.Result != nil {
		e := r.Result.Recall
		used = string(r.Result.Method)
		results = fmt.Sprintf("%.4f\t%.4f\t%.4f\t%.4f\t%.3f\t%.2f", r.Found, e.Recall, e.Low, e.High, r.Pairs, r.Result.CPUSeconds)
	}
	_, err := fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%v\t%s\n", r.Shape, r.N, r.Dim, r.Metric, r.Method, used, r.Target, results)
	return err
}

// Print prints the row as a line of a table.
func (r *Row) Print(w io.Writer) {
	fmt.Fprintf(w, "| %s | %d x %d | %s | %s ", r.Shape, r.N, r.Dim, r.Metric, r.Method)
	if r.Result != nil {
		e := r.Result.Recall
		fmt.Fprintf(w, "(%s) | %v | %.4f | %.4f (%.4f to %.4f) | %.3f | %.2f | %.2f ", r.Result.Method, r.Target, r.Found, e.Recall, e.Low, e.High, r.Pairs, r.Result.Seconds, r.Result.CPUSeconds)
	} else {
		fmt.Fprintf(w, "| %v | | | | | ", r.Target)
	}
	held := ""
	if r.Draws+r.Builds > 0 {
		held = fmt.Sprintf("%.3f", r.Held)
	}
	if r.Below+r.Ended > 0 {
		held += fmt.Sprintf(", %d short, %d told", r.Below, r.Ended)
	}
	fmt.Fprintf(w, "| %s | %s |\n", held, strings.Join(r.Faults(), ", "))
}
