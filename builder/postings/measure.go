package postings

import (
	"context"
	"runtime"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/sparse"
)

// MeasureRecall measures the recall of a finished store of sparse rows on a seeded sample,
// whose exact lists it computes by comparing their rows with all others, without postings.
// progress may be nil. Errors to test: store.ErrNotSparse.
func MeasureRecall(ctx context.Context, s *store.Store, sample int, seed uint64, tell func(builder.Event)) (est builder.RecallEstimate, err error) {
	est = recall.EstimateOf(nil, 0, seed)
	rows, order, err := s.Sparse()
	if err != nil {
		return est, err
	}
	defer rows.Close()
	metric, err := distance.ParseMetric(s.Info().Manifest.Metric)
	if err != nil || s.K() == 0 {
		return est, err
	}
	places := recall.Sample(len(order), sample, seed, measureStream)
	p := progress.Reporter{Tell: tell}.Begin("recall", "rows", int64(len(places)))
	defer p.End("")
	per := make([]float64, len(places))
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
	if err != nil {
		return est, err
	}
	return recall.EstimateOf(per, len(order), seed), nil
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
