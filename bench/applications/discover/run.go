package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/knng/knng/bench/applications/discover/internal/keypoints"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/refine"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis/affinity"
	"github.com/knng/knng/vectors"
)

// config is the command line.
type config struct {
	images, labels, out   string
	side, keypoints       int
	coarse, branch, depth int
	training              int
	k, leaf, visits       int
	inliers, threads      int
	worth                 float64
	seed                  uint64
	seeds                 int
}

func (c *config) validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(c.images == "" || c.out == "", "-images and -out are needed")
	fault(c.side < 0, "-side is %d, want 0 for no limit, or more", c.side)
	fault(c.keypoints < 1 || c.coarse < 1 || c.training < 1, "-keypoints, -coarse and -training are at least 1")
	fault(c.branch < 2 || c.depth < 1, "-branch is %d and -depth %d, want at least 2 and 1", c.branch, c.depth)
	fault(c.k < 1 || c.leaf < 2 || c.visits < 1, "-k and -visits are at least 1, -leaf 2")
	fault(!(c.worth >= 0 && c.worth <= 1), "-worth is %v, want a share from 0 to 1", c.worth)
	fault(c.seeds < 1, "-seeds is %d, want at least 1", c.seeds)
	fault(c.inliers < 2, "-inliers is %d, want at least 2", c.inliers)
	return errors.Join(faults...)
}

// found is the clusters of the pictures by one seed.
type found struct {
	*features
	seed           uint64
	g1, g2         [][]uint32  // lists, nearest first
	segments       *clustering // over-segments
	median, joined *clustering // these joined, by the median preference and by the one asked for
	built          *builder.Result
	refined        *refine.Result
}

// clustering is the exemplar of every picture and how it came about.
type clustering struct {
	of []uint32
	by *affinity.Clustering
}

// run discovers objects, once with every seed, and shows them.
func run(ctx context.Context, c *config, stdout, stderr io.Writer) error {
	names, err := list(c.images)
	if err != nil {
		return err
	}
	if len(names) < 2 {
		return fmt.Errorf("%s: %d pictures, want at least 2", c.images, len(names))
	}
	l, err := readLabels(c.labels, names)
	if err != nil {
		return err
	}
	sets, err := c.find(ctx, names)
	if err != nil {
		return err
	}
	r := &report{config: c, names: names, labels: l}
	for i := range c.seeds {
		one := *c
		one.seed = c.seed + uint64(i)
		one.out = filepath.Join(c.out, fmt.Sprintf("seed%d", one.seed))
		found, err := one.discover(ctx, sets, stderr)
		if err != nil {
			return err
		}
		r.all = append(r.all, found)
	}
	r.found = r.all[0]
	return r.write(stdout)
}

// discover makes both graphs and clusters the second.
func (c *config) discover(ctx context.Context, sets []*keypoints.Set, log io.Writer) (*found, error) {
	f, err := c.describe(ctx, sets)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(log, "seed %d: %d pictures, %d keypoints, %d coarse and %d fine words\n", c.seed, len(sets), f.points, f.dim, len(f.weight))
	if err := os.MkdirAll(c.out, 0o777); err != nil {
		return nil, err
	}
	r := &found{features: f, seed: c.seed}
	dir1, dir2 := filepath.Join(c.out, "G1"), filepath.Join(c.out, "G2")
	if err := c.build(ctx, r, dir1, f); err != nil {
		return nil, err
	}
	g1, err := store.Open(dir1, nil)
	if err != nil {
		return nil, err
	}
	defer g1.Close()
	r.refined, err = refine.Refine(ctx, dir2, g1, refine.Options{
		Distance: newMatcher(f, c.inliers).distance(), Visits: max(c.visits, 2*g1.K()), Threads: c.threads,
	})
	if err != nil && !errors.Is(err, store.ErrFinished) {
		return nil, err
	}
	fmt.Fprintf(log, "G1 %.1f s, G2 %.1f s\n", r.built.Seconds, r.refined.Seconds)
	g2, err := store.Open(dir2, nil)
	if err != nil {
		return nil, err
	}
	defer g2.Close()
	if r.g1, err = read(g1); err != nil {
		return nil, err
	}
	if r.g2, err = read(g2); err != nil {
		return nil, err
	}
	return r, c.cluster(ctx, r, g2)
}

// build makes G1 by random divisions of the coarse features, nothing propagated:
// propagation is for the fine distance.
func (c *config) build(ctx context.Context, r *found, dir string, f *features) error {
	rows, err := vectors.FromFloat32(f.coarse, f.dim)
	if err != nil {
		return err
	}
	r.built, err = builder.Build(ctx, dir, vectors.NewInput(rows), builder.Options{
		K: min(c.k, len(f.bags)-1), Method: builder.Paper, Propagation: builder.Off,
		LeafSize: c.leaf, Seed: c.seed, Threads: c.threads,
	})
	if errors.Is(err, store.ErrFinished) {
		return nil
	}
	return err
}

// cluster over-segments the pictures, and joins the segments.
func (c *config) cluster(ctx context.Context, r *found, g2 *store.Store) (err error) {
	o := affinity.Options{Seed: c.seed, Scratch: c.out}
	if r.segments, err = segment(ctx, g2, o); err != nil {
		return err
	}
	between, err := links(g2, r.segments.of)
	if err != nil {
		return err
	}
	if r.median, err = join(ctx, between, r.segments.of, o); err != nil {
		return err
	}
	worth := float32(c.worth)
	o.Preference = &worth
	r.joined, err = join(ctx, between, r.segments.of, o)
	return err
}

// read brings the lists of a graph into memory.
func read(g *store.Store) (lists [][]uint32, err error) {
	err = g.EachKeyed(func(_ store.Row, neighbors []uint32, _ []float32) error {
		lists = append(lists, append([]uint32(nil), neighbors...))
		return nil
	})
	return lists, err
}
