package builder

import (
	"context"

	"github.com/knng/knng/builder/internal/measure"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
)

// ErrOwnDistance: the keys of the store come from a distance that cannot be computed from its rows
// alone: rank-order, or a function of the program that built it.
var ErrOwnDistance = measure.ErrOwnDistance

// MeasureRecall measures the recall of a finished store on a random sample of its rows, drawn by
// seed; sample 0 means 1,000 rows. It computes the exact lists of the sample from the store's own
// vectors; they obey the Options.Copies of the build. A store of empty lists has recall 1. progress
// may be nil. Cancelling ctx returns ctx's error, with its cause. Error to test: ErrOwnDistance.
// With an error the estimate is zero.
func MeasureRecall(ctx context.Context, s *store.Store, sample int, seed uint64, progress func(Event)) (RecallEstimate, error) {
	per, rows, err := measure.Recalls(ctx, s, measure.Sample{Rows: sample, Seed: seed, Tell: progress})
	if err != nil {
		return RecallEstimate{}, err
	}
	return recall.EstimateOf(per, rows, seed), nil
}

// RecallByRow is like MeasureRecall, but returns the recall of each row of the sample, from 0 to 1,
// in no particular order; nil if the lists are empty.
func RecallByRow(ctx context.Context, s *store.Store, sample int, seed uint64, progress func(Event)) ([]float64, error) {
	per, _, err := measure.Recalls(ctx, s, measure.Sample{Rows: sample, Seed: seed, Tell: progress})
	return per, err
}
