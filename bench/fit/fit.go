// Package fit measures the constants that builds by balls go by, one at a time, and holds
// each against sets that had no say in choosing it: a constant is chosen on all sets but
// one, and tested on that one.
package fit

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/knng/knng/bench/front"
	"github.com/knng/knng/bench/judge"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// A Constant is a constant of builds and the values that are tried; the first is the
// default, at a target of 0.95 where it depends on the target.
type Constant struct {
	Name   string
	Values []float64
	set    func(o *builder.Options, value float64)
}

// Constants are those that shape builds by balls.
var Constants = []Constant{
	{"rows of a leaf", []float64{builder.DefaultBallSize, 500, 1500}, func(o *builder.Options, v float64) { o.LeafSize = int(v) }},
	{"candidates beyond k", []float64{8, 4, 12}, func(o *builder.Options, v float64) { o.Balls.Slack = int(v) }},
	{"listing rows in a join", []float64{30, 20, 45}, func(o *builder.Options, v float64) { o.Balls.Most = int(v) }},
	{"joins begin under the target by", []float64{0.075, 0.05, 0.1}, func(o *builder.Options, v float64) { o.Balls.Under = v }},
}

// Recalls are where fronts are read.
var Recalls = []float64{0.90, 0.95, 0.98}

// asked are the targets of the builds that a front is of.
var asked = []float64{0.88, 0.92, 0.95, 0.97, 0.99}

// Config is the builds to make.
type Config struct {
	Limit   int // read only so many rows of an input; 0: all
	Options builder.Options
	Repeats int    // builds of a setting, of one seed each; a front is of their medians
	Sample  int    // rows that tell recall
	Scratch string // folder for the stores, which are removed one by one
}

// Fronts are one set's seconds from rows to lists: of every constant, at each of its
// values, for each of Recalls; 0 where a front does not reach it.
type Fronts struct {
	Set     string
	Seconds [][][]float64
}

// Run measures all constants on one set. Values take turns, build by build.
func (c *Config) Run(ctx context.Context, input string) (*Fronts, error) {
	in, err := vectors.Open([]string{input}, &vectors.OpenOptions{Limit: c.Limit, Scratch: c.Scratch})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	rows, ok := in.Mapped()
	if !ok {
		return nil, fmt.Errorf("fit: %s cannot be mapped", input)
	}
	truth, err := judge.Sampled(ctx, rows, distance.Euclidean, c.Options.K, c.Sample, 1<<32)
	if err != nil {
		return nil, err
	}
	points := make([][]front.Point, 1) // of the defaults, then of every other value
	for _, k := range Constants {
		points = append(points, make([][]front.Point, len(k.Values)-1)...)
	}
	for _, target := range asked {
		found := make([][]front.Point, len(points))
		for repeat := range c.Repeats {
			for i, o := range c.settings() {
				o.Recall, o.Seed = target, uint64(repeat+1)
				p, err := c.one(ctx, in, truth, o)
				if err != nil {
					return nil, fmt.Errorf("fit: %s, %+v: %w", input, o.Balls, err)
				}
				found[i] = append(found[i], p)
			}
		}
		for i, some := range found {
			points[i] = append(points[i], median(some))
		}
	}
	return fronts(filepath.Base(input), points), nil
}

// settings are the defaults, and every other value of a constant beside the defaults of
// the others.
func (c *Config) settings() []builder.Options {
	all := []builder.Options{c.Options}
	for _, k := range Constants {
		for _, v := range k.Values[1:] {
			o := c.Options
			k.set(&o, v)
			all = append(all, o)
		}
	}
	return all
}

// one builds a graph, measures it, and removes it.
func (c *Config) one(ctx context.Context, in *vectors.Input, truth *judge.Judge, o builder.Options) (p front.Point, err error) {
	dir, err := os.MkdirTemp(c.Scratch, "fit-")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	graph := filepath.Join(dir, "graph")
	result, err := builder.Build(ctx, graph, in, o)
	if err != nil {
		return p, err
	}
	for _, phase := range result.Phases {
		if judge.ToLists(result.Method, phase.Name) {
			p.Cost += phase.Seconds
		}
	}
	s, err := store.Open(graph, nil)
	if err != nil {
		return p, err
	}
	defer s.Close()
	est, err := truth.Store(s)
	p.Recall = est.Recall
	return p, err
}

// median is that of the recalls and that of the seconds.
func median(some []front.Point) front.Point {
	var recalls, seconds []float64
	for _, p := range some {
		recalls, seconds = append(recalls, p.Recall), append(seconds, p.Cost)
	}
	slices.Sort(recalls)
	slices.Sort(seconds)
	return front.Point{Recall: recalls[len(recalls)/2], Cost: seconds[len(seconds)/2]}
}

func fronts(set string, points [][]front.Point) *Fronts {
	f := &Fronts{Set: set}
	read := func(points []front.Point) (seconds []float64) {
		of := front.Of(points)
		for _, recall := range Recalls {
			cost, _ := front.At(of, recall)
			seconds = append(seconds, cost)
		}
		return seconds
	}
	at := 1
	for _, k := range Constants {
		values := [][]float64{read(points[0])}
		for range k.Values[1:] {
			values = append(values, read(points[at]))
			at++
		}
		f.Seconds = append(f.Seconds, values)
	}
	return f
}

// Over is the seconds of a value of a constant over those of its default: the geometric
// mean over the recalls that both reach, and 2 for each that only the default does.
func (f *Fronts) Over(constant, value int) float64 {
	base, sum, n := f.Seconds[constant][0], 0.0, 0
	for i, s := range f.Seconds[constant][value] {
		switch {
		case base[i] == 0:
			continue
		case s == 0:
			sum += math.Ln2
		default:
			sum += math.Log(s / base[i])
		}
		n++
	}
	if n == 0 {
		return 1
	}
	return math.Exp(sum / float64(n))
}

// Chosen is the value of a constant that takes the least time on all sets but one, and the
// value that takes the least on that one.
func Chosen(sets []*Fronts, constant, without int) (chosen, best int) {
	values := len(Constants[constant].Values)
	sums := make([]float64, values)
	for v := range values {
		for i, f := range sets {
			if i != without {
				sums[v] += math.Log(f.Over(constant, v))
			}
		}
		if sums[v] < sums[chosen] {
			chosen = v
		}
		if sets[without].Over(constant, v) < sets[without].Over(constant, best) {
			best = v
		}
	}
	return chosen, best
}
