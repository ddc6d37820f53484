// Package judge measures the recall of anybody's lists by one and the same code.
package judge

import (
	"context"
	"errors"
	"fmt"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Judge holds lists against exact ones.
type Judge struct {
	truth  *recall.Truth
	n      int
	metric distance.Metric
}

// New reads the exact lists of some of n rows: a .gt file and the .ibin file that
// says which rows its lists belong to.
func New(truth, rows string, n int, metric distance.Metric) (*Judge, error) {
	t, err := recall.ReadTruth(truth, rows)
	if err != nil {
		return nil, err
	}
	return &Judge{t, n, metric}, nil
}

// Sampled computes the exact lists of m rows drawn by a seed: for rows that no
// truth file belongs to.
func Sampled(ctx context.Context, rows *vectors.Rows, metric distance.Metric, k, m int, seed uint64) (*Judge, error) {
	space, err := distance.New(metric, rows.Type(), rows.Dim())
	if err != nil {
		return nil, err
	}
	n := rows.Len()
	t := &recall.Truth{K: min(k, n-1), Rows: recall.Sample(n, m, seed, 0)}
	lists, err := exact(ctx, rows, space, t.K, t.Rows)
	if err != nil {
		return nil, err
	}
	for i := range t.Rows {
		neighbors, keys := lists.List(i)
		t.Neighbors = append(t.Neighbors, neighbors...)
		t.Distances = append(t.Distances, keys...)
	}
	return &Judge{t, n, metric}, nil
}

// Rows are the rows that are looked at.
func (j *Judge) Rows() []uint32 { return j.truth.Rows }

// Exact are the keys of a row's exact list, i counting the rows looked at.
func (j *Judge) Exact(i int) []float32 {
	_, keys := j.truth.List(i)
	return keys
}

// Store measures a finished graph.
func (j *Judge) Store(s *store.Store) (builder.RecallEstimate, error) {
	return j.Lists(s.K(), func(row uint32, neighbors []uint32, keys []float32) ([]uint32, []float32, error) {
		return s.Keyed(store.Row(row), neighbors, keys)
	})
}

// Ids measures lists of neighbors alone: list(row) gives those of a row, nearest
// first. Their keys are computed here, from the rows, for everybody alike; the
// row itself and numbers that are no row do not count.
func (j *Judge) Ids(k int, rows *vectors.Rows, list func(row uint32) []int32) (builder.RecallEstimate, error) {
	space, err := distance.New(j.metric, rows.Type(), rows.Dim())
	if err != nil {
		return builder.RecallEstimate{}, err
	}
	norm := func(row uint32) float64 {
		if !space.NeedsNorms() {
			return 0
		}
		return space.Norm(rows.Row(int(row)))
	}
	return j.Lists(k, func(row uint32, neighbors []uint32, keys []float32) ([]uint32, []float32, error) {
		seen := map[int32]bool{int32(row): true}
		for _, id := range list(row) {
			if id < 0 || int(id) >= rows.Len() || seen[id] || len(neighbors) == k {
				continue
			}
			seen[id] = true
			neighbors = append(neighbors, uint32(id))
			keys = append(keys, space.Key(rows.Row(int(row)), rows.Row(int(id)), norm(row), norm(uint32(id))))
		}
		return neighbors, keys, nil
	})
}

// Lists measures lists of k neighbors with their keys.
func (j *Judge) Lists(k int, list func(row uint32, neighbors []uint32, keys []float32) ([]uint32, []float32, error)) (est builder.RecallEstimate, err error) {
	if k > j.truth.K {
		return est, fmt.Errorf("judge: exact lists have %d neighbors, %d are asked for", j.truth.K, k)
	}
	per, err := j.truth.PerRow(j.n, k, j.metric, recall.Auto, list)
	if err != nil {
		return est, err
	}
	if len(per) == 0 {
		return est, errors.New("judge: no rows")
	}
	est.Recall, est.Low, est.High = recall.Interval(per, j.n, 1)
	est.Sample = len(per)
	return est, nil
}
