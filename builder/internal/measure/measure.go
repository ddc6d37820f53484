package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/stopped"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// ErrOwnDistance is returned for stores with a distance that is not computed from their rows.
var ErrOwnDistance = errors.New("builder: recall cannot be measured: the graph's distance is rank-order or a program's own, which is not computed from its rows")

// Sample says which rows of a store are measured.
type Sample struct {
	Rows int // 0 is DefaultRows
	Seed uint64
	Tell func(progress.Event) // may be nil
}

// Given refuses a store that is nil.
func Given(s *store.Store) error {
	if s == nil {
		return vectors.Misused(errors.New("builder: the store is nil"))
	}
	return nil
}

// Recalls returns the recall of each row of a sample, and of how many rows it was drawn. Where the
// store was built to take few copies of a row into a list, the exact lists take no more.
func Recalls(ctx context.Context, s *store.Store, sample Sample) (per []float64, rows int, err error) {
	if err := Given(s); err != nil {
		return nil, 0, err
	}
	if sample.Rows, err = Rows(sample.Rows); err != nil || s.K() == 0 {
		return nil, 0, err
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
	drawn := recall.Sample(len(order), sample.Rows, sample.Seed, stream)
	m := &measurement{ps, ctx, progress.Reporter{Tell: sample.Tell}}
	if most := copies.Most(s.Info().Manifest); most > 0 {
		per, err = m.perRowOfGroups(s, drawn, most)
	} else {
		per, err = m.perRow(s, drawn)
	}
	return per, len(order), stopped.Error(ctx, err)
}

// DefaultRows is the size of a sample if none is given, also for the command.
const DefaultRows = 1000

// Rows returns the size of a sample: 0 means DefaultRows, a negative number is an error.
func Rows(sample int) (int, error) {
	if sample < 0 {
		return 0, fmt.Errorf("builder: recall of %d rows, want 1 or more, or 0 for %d", sample, DefaultRows)
	}
	return cmp.Or(sample, DefaultRows), nil
}

// stream separates this sample from those of the build, which have the seed's first streams.
const stream = 16

// measurement is a measurement of the rows of a store.
type measurement struct {
	*points.Points
	ctx context.Context
	progress.Reporter
}

// truth computes the exact lists of some places.
func (m *measurement) truth(of *points.Points, places []uint32) (*recall.Lists, error) {
	p := m.Begin("recall", "pairs", int64(len(places))*int64(of.N()-1))
	defer p.End("")
	truth, _, err := of.Exact(m.ctx, places, p.Add)
	return truth, err
}

// perRow returns the recall of a store's lists at some places.
func (m *measurement) perRow(s *store.Store, places []uint32) ([]float64, error) {
	truth, err := m.truth(m.Points, places)
	if err != nil {
		return nil, err
	}
	per := make([]float64, len(truth.Places))
	var neighbors []uint32
	var keys []float32
	for i, place := range truth.Places {
		row := m.Order[place]
		if neighbors, keys, err = s.Keyed(store.Row(row), neighbors, keys); err != nil {
			return nil, err
		}
		per[i] = truth.RecallOf(i, neighbors, keys, row)
	}
	return per, nil
}

// pointsOf returns the rows of a store under its metric.
func pointsOf(s *store.Store, in *vectors.Input, order []uint32) (*points.Points, error) {
	metric, err := distance.ParseMetric(s.Info().Manifest.Metric)
	if err != nil || s.OwnDistance() {
		return nil, fmt.Errorf("%s: %w", s.Dir(), ErrOwnDistance)
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
