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
// rows, whose exact lists it computes from the store's own vectors; where the build was
// to take few copies of a row into a list (Options.Copies), the exact lists take no more.
// progress may be nil. Error to test: ErrOwnDistance.
func MeasureRecall(ctx context.Context, s *store.Store, sample int, seed uint64, progress func(Event)) (RecallEstimate, error) {
	per, rows, err := measure.Recalls(ctx, s, measure.Sample{Rows: sample, Seed: seed, Tell: progress})
	if err != nil {
		per = nil
	}
	return recall.EstimateOf(per, rows, seed), err
}

// RecallByRow is MeasureRecall that returns the recall of each row of the sample, in no
// particular order, from 0 to 1; nil where lists are empty.
func RecallByRow(ctx context.Context, s *store.Store, sample int, seed uint64, progress func(Event)) ([]float64, error) {
	per, _, err := measure.Recalls(ctx, s, measure.Sample{Rows: sample, Seed: seed, Tell: progress})
	return per, err
}
