package rebuild

import (
	"cmp"
	"context"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/measure"
	"github.com/knng/knng/builder/internal/stopped"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// Recall measures the lists of a view on a random sample of its live rows, drawn by seed; sample 0 means
// 1,000 rows. It compares each with all live rows. threads below 1 is 1. Cancelling ctx returns ctx's error,
// with its cause. With an error the estimate is zero.
func Recall(ctx context.Context, v *living.View, sample int, seed uint64, threads int) (builder.RecallEstimate, error) {
	sample, err := measure.Rows(sample)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return builder.RecallEstimate{}, stopped.Error(ctx, err)
	}
	if v.Len() < 2 {
		return recall.EstimateOf(nil, 0, seed), nil
	}
	var rows []store.Row
	for row := range v.Rows() {
		rows = append(rows, row)
	}
	drawn := recall.Sample(len(rows), sample, seed, recallStream)
	per := make([]float64, len(drawn))
	err = vectors.Ranges(max(1, threads), len(drawn), 1, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				found, err := v.Neighbors(rows[drawn[i]], nil)
				if err != nil {
					return err
				}
				exact, err := v.Neighbors(rows[drawn[i]], &living.NeighborsOptions{Exact: true})
				if err != nil {
					return err
				}
				per[i] = search.Recall(found, exact)
			}
			return nil
		}
	})
	if err != nil {
		return builder.RecallEstimate{}, stopped.Error(ctx, err)
	}
	return recall.EstimateOf(per, len(rows), seed), nil
}

// recallStream keeps the sample apart from those that a build draws.
const recallStream = 0x11f1

// Controls measures the lists of a view on its controls: rows whose exact lists the store keeps up to date
// as it is written. It takes no pass over the rows. Estimate.Sample is 0 if there are no controls, as before
// the first living.DB.Integrate since the graph was built.
func Controls(ctx context.Context, v *living.View, threads int) (est builder.RecallEstimate, err error) {
	per, err := v.Controls(ctx, threads)
	if err != nil || len(per) == 0 {
		return est, stopped.Error(ctx, err)
	}
	est.Recall, est.Low, est.High = recall.Interval(per, max(v.Len(), len(per)), 1)
	est.Sample = len(per)
	return est, nil
}
