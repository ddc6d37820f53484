package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder/refine"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

const refineHelp = `Make a graph under another distance from a finished graph: the lists of G1 are
evaluated anew, and neighbors of neighbors in G1 are visited, best first.

The other distance is rank-order, which compares the lists that G1 has for two
rows, or a metric over other vectors of the same rows, in the same order: G1 from
short ones, say, and G2 from long ones. Interrupt it as you like; the same
command continues.

  knng refine faces.knng -o faces2.knng --distance rank-order
  knng refine faces.knng -o faces2.knng --distance rank-order --ranks 20 -k 10
  knng refine coarse.knng -o fine.knng --vectors fine.npy --metric cosine`

type refineFlags struct {
	out       string
	distance  string
	ranks     int
	vectors   []string
	metric    string
	memory    string
	pairCache string
	opts      refine.Options
}

func newRefine(g *globals) *cobra.Command {
	r := new(refineFlags)
	c := &cobra.Command{
		Use: "refine G1 -o G2", Short: "Make a graph under another distance from a finished one", Long: refineHelp,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			if err := r.complete(c); err != nil {
				return usageError{err}
			}
			return r.run(c, g, a[0])
		},
	}
	f, o := c.Flags(), &r.opts
	f.StringVarP(&r.out, "output", "o", "", "directory of the new graph")
	f.StringVar(&r.distance, "distance", "", "the new distance: rank-order; or give --vectors")
	f.IntVar(&r.ranks, "ranks", 0, "with --distance rank-order: entries of a list to look at (default all of G1's)")
	f.StringArrayVar(&r.vectors, "vectors", nil, "other vectors of the same rows; may be given several times")
	f.StringVar(&r.metric, "metric", "euclidean", "with --vectors: "+distance.Names())
	f.IntVarP(&o.K, "k", "k", 0, "neighbors of a row (default G1's)")
	f.IntVar(&o.Visits, "visits", 0, "rows visited around a row, at most (default 500, and at least 2 k)")
	f.IntVar(&o.Threads, "threads", 0, "threads (default all cores)")
	f.StringVar(&r.memory, "memory", "", "memory for the lists held at the end, such as 512MiB (default 256MiB)")
	f.StringVar(&o.Scratch, "scratch", "", "folder for scratch files (default G2/scratch)")
	f.StringVar(&r.pairCache, "pair-cache", "auto", "keep computed distances: auto, on or off")
	requireOutput(c)
	return c
}

// complete turns the flags that are words into options.
func (r *refineFlags) complete(c *cobra.Command) (err error) {
	switch {
	case (r.distance == "") == (len(r.vectors) == 0):
		return errors.New("give --distance rank-order or --vectors FILE, and not both")
	case r.distance != "" && r.distance != "rank-order":
		return fmt.Errorf("--distance is %q, want rank-order", r.distance)
	case r.ranks != 0 && r.distance == "":
		return errors.New("--ranks belongs to --distance rank-order")
	case r.distance != "" && c.Flags().Changed("metric"):
		return errors.New("--metric belongs to --vectors")
	}
	if r.ranks < 0 {
		return fmt.Errorf("--ranks is %d, want 1 or more", r.ranks)
	}
	if err := refuse(c, []notZero{zeroK, {"visits", "1 or more"}, {"ranks", "1 or more"}}); err != nil {
		return err
	}
	if r.opts.Metric, err = distance.ParseMetric(r.metric); err != nil {
		return err
	}
	if r.opts.PairCache, err = parseSwitch("pair-cache", r.pairCache); err != nil {
		return err
	}
	r.opts.Memory, err = parseSize(r.memory)
	return err
}

func (r *refineFlags) run(c *cobra.Command, g *globals, dir string) error {
	ctx := c.Context()
	g1, err := openSealed(dir)
	if err != nil {
		return err
	}
	defer g1.Close()
	if same(dir, r.out) {
		return usageError{fmt.Errorf("%s is the graph that is refined: give the new one another directory", r.out)}
	}
	if r.distance != "" {
		r.opts.Distance = refine.RankOrder(ranksOf(g1, r.ranks))
	} else { // errors are told before vectors are received, not after
		r.opts.Vectors = vectors.Described(nil, g1.Len(), 1, vectors.Float32)
	}
	valid := func() error { return byFlags(c, r.opts.Validate(g1)) }
	if err := valid(); err != nil {
		return usageError{err}
	}
	if r.distance == "" {
		defer leaveNothing(r.out)()
		if err := r.receive(ctx, g); err != nil {
			return err
		}
		defer r.opts.Vectors.Close()
		if err := valid(); err != nil {
			return usageError{err}
		}
	}
	r.opts.Progress = g.reporter()
	r.opts.Logger = g.log
	res, err := refine.Refine(ctx, r.out, g1, r.opts)
	return g.end(r.out, err, func() error { return showRefined(g, res, r.out) })
}

// receive opens the vectors. Streams are received beside the store.
func (r *refineFlags) receive(ctx context.Context, g *globals) (err error) {
	if _, err := vacant(r.out); err != nil {
		return err
	}
	scratch := cmp.Or(r.opts.Scratch, filepath.Join(r.out, "scratch"))
	r.opts.Vectors, err = g.openInput(ctx, r.vectors, vectors.OpenOptions{Scratch: scratch})
	return g.stopped(err)
}

// same reports whether two paths are one folder.
func same(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// showRefined prints a result, as JSON or for people.
func showRefined(g *globals, res *refine.Result, dir string) error {
	if g.json {
		return g.printJSON(flattenRefined(res, dir))
	}
	printRefined(g, res, dir)
	return nil
}

// flattenRefined is a result with further values for scripts.
func flattenRefined(res *refine.Result, dir string) any {
	return struct {
		*refine.Result
		Dir  string `json:"dir"`
		Done bool   `json:"finished"`
	}{res, dir, true}
}

// ranksOf is how much of a list of g1 is looked at.
func ranksOf(g1 *store.Store, asked int) int {
	if asked == 0 {
		return g1.K()
	}
	return min(asked, g1.K())
}

// printRefined is the summary at the end of a refinement.
func printRefined(g *globals, r *refine.Result, dir string) {
	w := g.stdout
	fmt.Fprintf(w, "%s: %d rows, k=%d, %s, refined from %.16s\n", dir, r.Rows, r.K, r.Metric, r.RefinedFrom)
	fmt.Fprintf(w, "kept       %.4f of the entries stand in the lists refined as well\n", r.Kept)
	if r.Completed > 0 {
		fmt.Fprintf(w, "completed  %d rows had too few others within reach and were compared with all\n", r.Completed)
	}
	fmt.Fprintf(w, "pairs      %d requested, %d computed, %d known before (pair cache %s); scan rate %.5f\n",
		r.RequestedPairs, r.Comparisons, r.CacheHits, r.PairCache, r.ScanRate)
	fmt.Fprintf(w, "time       %.2f s, %d threads; resumed %d times\n", r.Seconds, r.Threads, r.Resumed)
	fmt.Fprintf(w, "           %s\n", phases(r.Phases))
	fmt.Fprintf(w, "checksum   %s\n", r.Checksum)
	fmt.Fprintf(w, "next       knng neighbors %s 0\n", operand(dir))
}
