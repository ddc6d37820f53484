// Package speed measures how fast knng builds, figure by figure: beside other
// builders, beside brute force, in its parts, over rows, dimensions and neighbors,
// and in memory. Package peers makes the runs of a figure, by its rules, and
// keeps them: figures share runs, and go on where time ran out.
package speed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knng/knng/bench/generate"
	"github.com/knng/knng/bench/peers"
	"github.com/knng/knng/vectors"
)

// Config is the measurements and their settings.
type Config struct {
	Run     *peers.Config
	Data    string   // folder of the real sets
	Made    string   // folder for generated sets
	Sets    []string // names of real sets for the figures that take several; none is all
	Only    []string // sides; none is all
	K       int
	Threads int
	Repeats int
	Limit   int    // rows, to try things out; 0 is all
	Plot    string // folder for pictures; "" draws none
	Out     io.Writer
}

// Figure is one measurement.
type Figure struct {
	Name, About string
	measure     func(*Config, context.Context) error
}

// Figures are all of them, in the order in which they are best measured: later
// ones use runs of those before.
var Figures = []Figure{
	{"1", "beside peers at 0.90, 0.95 and 0.99", (*Config).fronts},
	{"2", "share of the time of brute force; our exact mode", (*Config).brute},
	{"3", "leaf distances beside the kernels' own peak and ssyrk; time by phase", (*Config).leaves},
	{"4", "growth with rows and dimensions", (*Config).growth},
	{"5", "growth with neighbors", (*Config).neighbors},
	{"6", "200,000 x 1,024 float16 beside peers, k = 15", (*Config).wide},
	{"7", "peak memory over rows and lists", (*Config).memory},
}

// Measure measures a figure and prints its tables, as far as there was time.
// Error to test: peers.ErrBudget.
func (c *Config) Measure(ctx context.Context, name string) error {
	i := slices.IndexFunc(Figures, func(f Figure) bool { return f.Name == name })
	if i < 0 {
		return fmt.Errorf("speed: no figure %q", name)
	}
	fmt.Fprintf(c.Out, "\n## Figure %s: %s\n", name, Figures[i].About)
	return Figures[i].measure(c, ctx)
}

// real are the sets of the data folder.
var real = []struct{ name, file string }{
	{"sift", "caltech101-sift-1M.u8bin"},
	{"mnist", "mnist-70K.bvecs.gz"},
	{"gist", "cifar10-gist384-60K.npy"},
	{"faces", "lfw-lbp500-13K.npy"},
}

// set is a real set by its name.
func (c *Config) set(name string) (peers.Set, error) {
	for _, r := range real {
		if r.name == name {
			base, _, _ := strings.Cut(r.file, ".")
			base = filepath.Join(c.Data, base)
			return peers.Set{Name: name, Path: filepath.Join(c.Data, r.file), Truth: base + ".gt", Rows: base + ".rows.ibin", Limit: c.Limit}, nil
		}
	}
	return peers.Set{}, fmt.Errorf("speed: no set %q", name)
}

// made is a generated set, written unless it is there.
func (c *Config) made(ctx context.Context, n, dim int, t vectors.Type) (peers.Set, error) {
	if c.Limit > 0 {
		n = min(n, c.Limit)
	}
	name := fmt.Sprintf("made-%dx%d-%v", n, dim, t)
	set := peers.Set{Name: name, Path: filepath.Join(c.Made, name+".npy")}
	if _, err := os.Stat(set.Path); err == nil {
		return set, nil
	}
	rows, err := generate.New(n, dim, t, 1)
	if err != nil {
		return set, err
	}
	return set, rows.Write(ctx, set.Path)
}

// on runs settings of knng, and others, on a set: every setting once, then again.
// It calls show with all runs of the set, however far time reached.
func (c *Config) on(ctx context.Context, set peers.Set, k int, settings []peers.Setting, show func(r *peers.Runner, points []peers.Point)) error {
	r, err := c.Run.On(set)
	if err != nil {
		return err
	}
	defer r.Close()
	var tasks []peers.Task
	for repeat := range c.Repeats {
		for _, s := range settings {
			tasks = append(tasks, r.Task(s, k, c.Threads, repeat))
		}
	}
	err = r.Do(ctx, tasks)
	if err == nil || errors.Is(err, peers.ErrBudget) {
		show(r, r.Points(k, c.Threads))
	}
	return err
}

// asking are settings of knng that differ in the recall asked for.
func asking(more map[string]any, recalls ...float64) (settings []peers.Setting) {
	for _, recall := range recalls {
		parameters := map[string]any{"recall": recall}
		for name, value := range more {
			parameters[name] = value
		}
		settings = append(settings, peers.Setting{Peer: peers.Ours, Parameters: parameters})
	}
	return settings
}

// budget collects errors for want of time, and stops at others.
func budget(all *error, err error) (stop bool) {
	*all = errors.Join(*all, err)
	return err != nil && !errors.Is(err, peers.ErrBudget)
}

// at is a side's time at a recall, by the first clock; 0 where it did not reach it.
func at(points []peers.Point, side string, recall float64) float64 {
	seconds, _ := peers.AtRecall(points, side, recall, peers.Clocks[peers.MemoryClock])
	return seconds
}
