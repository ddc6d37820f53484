package builder

import (
	"context"

	"github.com/knng/knng/builder/internal/measure"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
)

// ErrOwnDistance says that a store's keys come from a distance that its rows do not
// tell: rank-order, or a function of the program that built it.
var ErrOwnDistance = measure.ErrOwnDistance

// MeasureRecall measures the recall of a finished store on a seeded sample of
// rows, 1,000 where sample is 0, whose exact lists it computes from the store's own vectors; where the
// build was to take few copies of a row into a list (Options.Copies), the exact lists take no more.
// Empty lists are exact. progress may be nil. Cancelling ctx returns ctx's error, with its cause.
// Error to test: ErrOwnDistance. Beside an error the estimate is zero.
func MeasureRecall(ctx context.Context, s *store.Store, sample int, seed uint64, progress func(Event)) (RecallEstimate, error) {
	per, rows, err := measure.Recalls(ctx, s, measure.Sample{Rows: sample, Seed: seed, Tell: progress})
	if err != nil {
		return RecallEstimate{}, err
	}
	return recall.EstimateOf(per, rows, seed), nil
}

// RecallByRow is MeasureRecall that returns the recall of each row of the sample, in no
// particular order, from 0 to 1; nil where lists are empty.
func RecallByRow(ctx context.Context, s *store.Store, sample int, seed uint64, progress func(Event)) ([]float64, error) {
	per, _, err := measure.Recalls(ctx, s, measure.Sample{Rows: sample, Seed: seed, Tell: progress})
	return per, err
}
