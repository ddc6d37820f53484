package builder

import (
	"context"
	"errors"

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
	if s.K() == 0 {
		return est, nil
	}
	in, order, err := s.Vectors()
	if err != nil {
		return est, err
	}
	defer in.Close()
	r := &run{ctx: ctx, opts: Options{Progress: progress, Seed: seed}.withDefaults(), src: in, order: order, k: s.K()}
	if err := r.attach(s, in); err != nil {
		return est, err
	}
	drawn := recall.Sample(len(order), sample, seed, measureStream)
	per, err := r.perRow(s, drawn)
	if err != nil {
		return est, err
	}
	est.Recall, est.Low, est.High = recall.Interval(per, len(order), 1)
	est.Sample = len(per)
	return est, nil
}

// perRow is the recall of a store's lists at some places.
func (r *run) perRow(s *store.Store, places []uint32) ([]float64, error) {
	if copies := copiesOf(s.Info().Manifest); copies > 0 {
		return r.perRowOfGroups(s, places, copies)
	}
	p := r.begin("recall", "pairs", int64(len(places))*int64(r.n()-1))
	truth, _, err := r.exactly(places, p)
	p.End("")
	if err != nil {
		return nil, err
	}
	return perRowOf(s, truth, r.order)
}

// attach gives a run the rows and the metric of a store.
func (r *run) attach(s *store.Store, in *vectors.Input) error {
	metric, err := distance.ParseMetric(s.Info().Manifest.Metric)
	if err != nil || s.OwnDistance() {
		return ErrOwnDistance
	}
	r.opts.Metric = metric
	if r.space, err = distance.New(metric, in.Type(), in.Dim()); err != nil {
		return err
	}
	rows, ok := in.Mapped()
	if !ok {
		return errors.New("builder: the referenced vectors cannot be mapped")
	}
	r.rows = rows
	r.norms, err = r.normsOf(rows)
	return err
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
