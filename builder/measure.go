package builder

import (
	"context"
	"errors"
	"runtime"

	"github.com/knng/knng/builder/internal/points"
	reporter "github.com/knng/knng/builder/progress"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// ErrOwnDistance says that a store's keys come from a distance that its rows do not
// tell: rank-order, or a function of the program that built it.
var ErrOwnDistance = errors.New("builder: the graph's distance is no metric of its rows but rank-order, or a program's own function: exact lists cannot be computed under it")

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
	if s.K() == 0 {
		return nil, 0, nil
	}
	in, order, err := s.Vectors()
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	ps, err := pointsOf(s, in, order)
	if err != nil {
		return nil, 0, err
	}
	drawn := recall.Sample(len(order), sample, seed, measureStream)
	per, err = (&measurement{ps, ctx, reporter.Reporter{Tell: progress}}).perRow(s, drawn)
	return per, len(order), err
}

// measurement is the rows of a store, and whom its measuring is told.
type measurement struct {
	*points.Points
	ctx context.Context
	reporter.Reporter
}

// truth computes the exact lists of some places.
func (m *measurement) truth(of *points.Points, places []uint32) (*recall.Lists, error) {
	p := m.Begin("recall", "pairs", int64(len(places))*int64(of.N()-1))
	defer p.End("")
	truth, _, err := of.Exact(m.ctx, places, p.Add)
	return truth, err
}

// perRow is the recall of a store's lists at some places.
func (m *measurement) perRow(s *store.Store, places []uint32) ([]float64, error) {
	if copies := copiesOf(s.Info().Manifest); copies > 0 {
		return m.perRowOfGroups(s, places, copies)
	}
	truth, err := m.truth(m.Points, places)
	if err != nil {
		return nil, err
	}
	return perRowOf(s, truth, m.Order)
}

// pointsOf is the rows of a store under its metric.
func pointsOf(s *store.Store, in *vectors.Input, order []uint32) (*points.Points, error) {
	metric, err := distance.ParseMetric(s.Info().Manifest.Metric)
	if err != nil || s.OwnDistance() {
		return nil, ErrOwnDistance
	}
	rows, ok := in.Mapped()
	if !ok {
		return nil, errors.New("builder: the referenced vectors cannot be mapped")
	}
	ps := &points.Points{Threads: runtime.GOMAXPROCS(0), Rows: rows, Order: order, K: s.K()}
	if ps.Space, err = distance.New(metric, in.Type(), in.Dim()); err != nil {
		return nil, err
	}
	ps.Norms, err = ps.NormsOf(rows)
	return ps, err
}

// measureStream keeps this sample apart from those of the build, which have the
// seed's first streams.
const measureStream = 16

// perRowOf is the recall of a store's lists at the places of truth.
func perRowOf(s *store.Store, truth *recall.Lists, order []uint32) ([]float64, error) {
	per := make([]float64, len(truth.Places))
	var neighbors []uint32
	var keys []float32
	var err error
	for i, place := range truth.Places {
		row := order[place]
		if neighbors, keys, err = s.Keyed(store.Row(row), neighbors, keys); err != nil {
			return nil, err
		}
		_, exact := truth.List(i)
		per[i] = recall.OfList(exact, neighbors, keys, row, truth.K)
	}
	return per, nil
}
