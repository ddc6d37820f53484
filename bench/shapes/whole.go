package shapes

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// whole knows the keys of the k nearest of every row, from a graph of all pairs which brute force
// has confirmed on its own rows. So the recall of a graph is known without an error of its own, and
// how often intervals hold it: from samples of its rows that are drawn many times.
type whole struct {
	keys  []float32 // k of every row
	k     int
	rows  int
	draws int
}

// newWhole builds the graph of all pairs in dir, and removes it.
func (c *Config) newWhole(ctx context.Context, rows *vectors.Rows, metric distance.Metric, truth *oracle, dir string) (w *whole, err error) {
	o := builder.Options{K: c.K, Metric: metric, Method: builder.Exact, Threads: c.Threads, BadRows: builder.Isolate}
	if _, err := builder.Build(ctx, dir, vectors.NewInput(rows), o); err != nil {
		return nil, fmt.Errorf("all pairs: %w", err)
	}
	g, err := store.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close(), os.RemoveAll(dir)) }()
	found, err := truth.recall(g)
	if err == nil && found < 1 {
		err = fmt.Errorf("all pairs: brute force finds %.6f of the neighbors right, want 1", found)
	}
	if err != nil {
		return nil, err
	}
	w = &whole{k: g.K(), rows: rows.Len(), draws: c.Draws}
	return w, w.read(g)
}

// read takes the keys of all lists, which are of one length.
func (w *whole) read(g *store.Store) error {
	var neighbors []uint32
	var keys []float32
	var err error
	for row := range w.rows {
		if neighbors, keys, err = g.Keyed(store.Row(row), neighbors, keys); err != nil {
			return err
		}
		if len(keys) != w.k {
			return fmt.Errorf("all pairs: row %d has %d neighbors, want %d", row, len(keys), w.k)
		}
		w.keys = append(w.keys, keys...)
	}
	return nil
}

// recalls is the recall of every row of a graph.
func (w *whole) recalls(g *store.Store) (per []float64, err error) {
	var neighbors []uint32
	var keys []float32
	for row := range w.rows {
		if neighbors, keys, err = g.Keyed(store.Row(row), neighbors, keys); err != nil {
			return nil, err
		}
		per = append(per, recall.OfList(w.keys[row*w.k:(row+1)*w.k], neighbors, keys, uint32(row), w.k))
	}
	return per, nil
}

// held is the share of intervals that hold the mean, of samples of so many rows.
func (w *whole) held(per []float64, sample int, seed uint64) float64 {
	mean, _, _ := recall.Interval(per, len(per), 1)
	held := 0
	of := make([]float64, 0, sample)
	for draw := range w.draws {
		of = of[:0]
		for _, row := range recall.Sample(len(per), sample, seed, 1000+uint64(draw)) {
			of = append(of, per[row])
		}
		if _, low, high := recall.Interval(of, len(per), 1); low <= mean && mean <= high {
			held++
		}
	}
	return float64(held) / float64(max(1, w.draws))
}

// look fills in the recall of every row of a graph, and how often intervals hold their mean.
func (w *whole) look(g *store.Store, r *Row, seed uint64) error {
	per, err := w.recalls(g)
	if err != nil {
		return err
	}
	r.Found, _, _ = recall.Interval(per, len(per), 1)
	r.Draws, r.Held = w.draws, w.held(per, r.Result.Recall.Sample, seed)
	return nil
}

// many builds graphs with seeds of their own, and counts how many of the intervals that they report hold
// the recall of all rows. The row is the mean of them, and has the reported recall of the last one.
func (c *Config) many(ctx context.Context, rows *vectors.Rows, truth *oracle, whole *whole, dir string, r *Row) error {
	var found, pairs float64
	for seed := range uint64(c.Builds) {
		one := *r
		if err := errors.Join(os.RemoveAll(dir), c.seeded(ctx, rows, truth, whole, dir, seed+1, &one)); err != nil {
			return fmt.Errorf("seed %d: %w", seed+1, err)
		}
		found, pairs = found+one.Found, pairs+one.Pairs
		r.Result = one.Result
		if one.Strictly() {
			r.Held++
		}
		if one.Found < one.Target-allowed {
			r.Below++
		}
		if one.Result.Short {
			r.Ended++
		}
	}
	builds := float64(c.Builds)
	r.Draws, r.Builds, r.Found, r.Pairs, r.Held = 0, c.Builds, found/builds, pairs/builds, r.Held/builds
	return nil
}
