package postings

import (
	"context"
	"runtime"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/measure"
	"github.com/knng/knng/builder/internal/stopped"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/sparse"
)

// MeasureRecall is builder.MeasureRecall for a store of sparse rows: it compares the sampled rows with all
// others, without postings. Error to test: store.ErrNotSparse.
func MeasureRecall(ctx context.Context, s *store.Store, sample int, seed uint64, progress func(builder.Event)) (builder.RecallEstimate, error) {
	per, rows, err := recalls(ctx, s, measure.Sample{Rows: sample, Seed: seed, Tell: progress})
	if err != nil {
		return builder.RecallEstimate{}, stopped.Error(ctx, err)
	}
	return recall.EstimateOf(per, rows, seed), nil
}

// recalls returns the recall of each row of a sample, and of how many rows it was drawn.
func recalls(ctx context.Context, s *store.Store, sample measure.Sample) (per []float64, n int, err error) {
	if err := measure.Given(s); err != nil {
		return nil, 0, err
	}
	if sample.Rows, err = measure.Rows(sample.Rows); err != nil {
		return nil, 0, err
	}
	rows, order, err := s.Sparse()
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	metric, err := distance.ParseMetric(s.Info().Manifest.Metric)
	if err != nil || s.K() == 0 {
		return nil, 0, err
	}
	places := recall.Sample(len(order), sample.Rows, sample.Seed, measureStream)
	p := progress.Reporter{Tell: sample.Tell}.Begin("recall", "rows", int64(len(places)))
	defer p.End("")
	per = make([]float64, len(places))
	err = vectors.Ranges(runtime.GOMAXPROCS(0), len(places), 1, func() func(from, to int) error {
		scan := &scanner{rows: rows, metric: metric, k: s.K()}
		return func(i, _ int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			row := order[places[i]]
			exact := scan.keys(int(places[i]))
			neighbors, keys, err := s.Keyed(store.Row(row), nil, nil)
			if err != nil {
				return err
			}
			per[i] = recall.OfList(exact, neighbors, keys, row, s.K())
			p.Add(1)
			return nil
		}
	})
	return per, len(order), err
}

// measureStream keeps this sample apart from others of a seed.
const measureStream = 16

// scanner compares one row after the other with all.
type scanner struct {
	rows   *sparse.Rows
	metric distance.Metric
	k      int
	norms  []float64
}

// keys are those of the nearest rows of a place, ascending.
func (s *scanner) keys(place int) []float32 {
	if s.norms == nil {
		s.norms = make([]float64, s.rows.Len())
		for i := range s.norms {
			s.norms[i] = s.rows.Norm(i)
		}
	}
	dense := make([]float32, s.rows.Columns())
	columns, values := s.rows.Row(place)
	for i, c := range columns {
		dense[c] = values[i]
	}
	list := knn.New(1, s.k, nil)
	defer list.Free()
	for y := range s.rows.Len() {
		if y == place {
			continue
		}
		dot := 0.0
		columns, values := s.rows.Row(y)
		for i, c := range columns {
			dot += float64(dense[c]) * float64(values[i])
		}
		list.Offer(0, uint32(y), distance.OfProduct(s.metric, dot, s.norms[place], s.norms[y]))
	}
	_, keys := list.List(0)
	return append([]float32(nil), keys...)
}
