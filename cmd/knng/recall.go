package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/postings"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

const recallHelp = `Measure the recall of a finished graph, with a 95 % interval: on a sample of rows
whose exact lists are computed now, or against exact lists in files.

  knng recall photos.knng
  knng recall photos.knng --sample 5000 --seed 7
  knng recall sift.knng --truth sift.gt --rows sift.rows.ibin
  knng recall photos.knng --queries queries.npy -k 10    # of search, by effort

Ties by distance are accepted, the row itself is not.`

type recallFlags struct {
	sample    int
	seed      uint64
	truth     string
	rows      string
	distances string
	search    recallOfSearch
}

func newRecall(g *globals) *cobra.Command {
	r := new(recallFlags)
	c := &cobra.Command{
		Use: "recall DIR", Short: "Measure recall with a 95 % interval", Long: recallHelp,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error { return r.run(c, g, a[0]) },
	}
	f := c.Flags()
	f.IntVar(&r.sample, "sample", 1000, "rows to compute exact lists of, at random")
	f.Uint64Var(&r.seed, "seed", 1, "seed of the sample")
	f.StringVar(&r.truth, "truth", "", "exact lists instead: u32 m, u32 k, m*k int32 rows, m*k float32 distances")
	f.StringVar(&r.rows, "rows", "", "the rows that --truth belongs to: u32 m, u32 1, m int32")
	f.StringVar(&r.distances, "truth-distances", "auto", "distances in --truth: squared, metric, or auto, which tells by the first lists")
	r.search.bind(c)
	return c
}

func (r *recallFlags) run(c *cobra.Command, g *globals, dir string) error {
	if (r.truth == "") != (r.rows == "") {
		return usageError{errors.New("--truth and --rows go together")}
	}
	if r.truth == "" && c.Flags().Changed("truth-distances") {
		return usageError{errors.New("--truth-distances belongs to --truth")}
	}
	if r.truth != "" && (c.Flags().Changed("sample") || c.Flags().Changed("seed")) {
		return usageError{errors.New("--sample and --seed draw rows where there is no --truth, whose rows are --rows")}
	}
	if err := r.search.check(c); err != nil {
		return usageError{err}
	}
	if r.sample < 1 {
		return usageError{fmt.Errorf("--sample is %d, want 1 or more", r.sample)}
	}
	scale, err := recall.ParseTruthDistances(r.distances)
	if err != nil {
		return usageError{err}
	}
	if living.Is(dir) {
		return r.runLiving(c.Context(), g, dir)
	}
	s, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	if r.search.queries != "" {
		return r.search.run(c.Context(), g, s)
	}
	est := measured{K: s.K()}
	switch m := s.Info().Manifest; {
	case r.truth == "" && m.Sparse():
		est.RecallEstimate, err = postings.MeasureRecall(c.Context(), s, r.sample, r.seed, g.reporter())
	case r.truth == "":
		est.RecallEstimate, err = builder.MeasureRecall(c.Context(), s, r.sample, r.seed, g.reporter())
	default:
		est, err = r.againstFiles(s, scale)
	}
	if err != nil {
		return err
	}
	if g.json {
		return g.printJSON(est)
	}
	est.print(g)
	return nil
}

// measured is a recall@K.
type measured struct {
	K int `json:"k"`
	builder.RecallEstimate
}

// print prints the recall, where there are lists that can have one.
func (m *measured) print(g *globals) {
	if m.K == 0 {
		fmt.Fprintln(g.stdout, "there is no recall to measure: fewer than two rows live")
		return
	}
	fmt.Fprintf(g.stdout, "recall@%d %.4f, 95 %% interval %.4f to %.4f, %d rows\n", m.K, m.Recall, m.Low, m.High, m.Sample)
}

// againstFiles compares the graph with exact lists in files: as many of a row's
// nearest as both have.
func (r *recallFlags) againstFiles(s *store.Store, scale recall.TruthDistances) (est measured, err error) {
	if s.OwnDistance() {
		return est, fmt.Errorf("%s: %w", s.Dir(), builder.ErrOwnDistance)
	}
	metric, err := distance.ParseMetric(s.Info().Manifest.Metric)
	if err != nil {
		return est, err
	}
	if scale == recall.Squared && !metric.Squares() {
		return est, usageError{fmt.Errorf("--truth-distances is squared, and distances by %v are not squared: leave it out", metric)}
	}
	truth, err := recall.ReadTruth(r.truth, r.rows)
	if err == nil {
		manifest := s.Info().Manifest
		truth.Exponent = manifest.Scale()
		err = truth.Check(s.Len(), 0)
	}
	if err == nil {
		err = verify(s, truth, metric, scale)
	}
	if err != nil {
		return est, vectors.Refused(absent(err))
	}
	est.K = min(s.K(), truth.K)
	per, err := truth.PerRow(s.Len(), est.K, metric, scale,
		func(row uint32, neighbors []uint32, keys []float32) ([]uint32, []float32, error) {
			neighbors, keys, err := s.Keyed(store.Row(row), neighbors, keys)
			return neighbors[:min(est.K, len(neighbors))], keys[:min(est.K, len(keys))], err
		})
	if err != nil {
		return est, err
	}
	est.Recall, est.Low, est.High = recall.Interval(per, s.Info().Lists, 1)
	est.Sample = len(per)
	return est, nil
}

// verify holds exact lists against the rows of the store. Rows that are referenced may be
// gone, and the lists then be believed as far as the graph's own pairs agree.
func verify(s *store.Store, truth *recall.Truth, metric distance.Metric, scale recall.TruthDistances) error {
	in, order, err := s.Vectors()
	if errors.Is(err, fs.ErrNotExist) && s.Info().Manifest.Vectors == "reference" {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	space, err := distance.New(metric, in.Type(), in.Dim())
	if err != nil {
		return err
	}
	placeOf := make(map[uint32]int, len(truth.Rows))
	for _, row := range truth.Rows {
		placeOf[row] = -1
	}
	for _, row := range truth.Neighbors {
		placeOf[row] = -1
	}
	for place, row := range order {
		if _, wanted := placeOf[row]; wanted {
			placeOf[row] = place
		}
	}
	size := in.Dim() * in.Type().Size()
	x, y := make([]byte, size), make([]byte, size)
	return truth.Verify(metric, scale, func(row, neighbor uint32) (float32, error) {
		for _, r := range []struct {
			row uint32
			dst []byte
		}{{row, x}, {neighbor, y}} {
			if placeOf[r.row] < 0 {
				return 0, fmt.Errorf("%s: row %d has no distances in this graph: it is isolated", truth.Name(), r.row)
			}
			if err := in.ReadRows(placeOf[r.row], r.dst); err != nil {
				return 0, err
			}
		}
		return space.Key(x, y, normOf(space, x), normOf(space, y)), nil
	})
}

// normOf is the norm of a row where its distances need it.
func normOf(space *distance.Space, row []byte) float64 {
	if !space.NeedsNorms() {
		return 0
	}
	return space.Norm(row)
}
