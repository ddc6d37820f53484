package builder

import (
	"context"
	"fmt"

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
func MeasureRecall(ctx context.Context, s *store.Store, sample int, seed uint64, progress func(Event)) (est RecallEstimate, err error) {
	est = RecallEstimate{Recall: 1, Low: 1, High: 1, Seed: seed}
	per, rows, err := sampledRecalls(ctx, s, sample, seed, progress)
	if err != nil || len(per) == 0 {
		return est, err
	}
	est.Recall, est.Low, est.High = recall.Interval(per, rows, 1)
	est.Sample = len(per)
	return est, nil
}

// RecallByRow is MeasureRecall that returns the recall of each row of the sample, in no
// particular order, from 0 to 1; nil where lists are empty.
func RecallByRow(ctx context.Context, s *store.Store, sample int, seed uint64, progress func(Event)) ([]float64, error) {
	per, _, err := sampledRecalls(ctx, s, sample, seed, progress)
	return per, err
}

// sampledRecalls are the recalls of the rows of a sample, and how many rows it is of.
func sampledRecalls(ctx context.Context, s *store.Store, sample int, seed uint64, progress func(Event)) (per []float64, rows int, err error) {
	return measure.Recalls(ctx, s, measure.Sample{Rows: sample, Seed: seed, Copies: copiesOf(s.Info().Manifest), Tell: progress})
}

// copiesOf is the limit on copies in a list that a store was built with; 0: there is none.
func copiesOf(m store.Manifest) (copies int) {
	for _, o := range m.Options {
		if o.Name == "duplicates" {
			fmt.Sscanf(o.Value, string(Collapse)+" to %d", &copies) // else it stays 0
		}
	}
	return copies
}
