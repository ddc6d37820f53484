package search

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/tuning"
	"github.com/knng/knng/vectors"
)

// TuneOptions describes the wanted effort.
type TuneOptions struct {
	K      int     // results of a query; 0 is 10
	Recall float64 // share of the true results to find; 0 is 0.95
	Sample int     // rows that choose the effort, and as many others that report; 0 is 200
	Seed   uint64  // of the sample
}

// Tuned is a result of Tune.
type Tuned struct {
	Effort      int       `json:"effort"`                // for Query.Effort
	Reached     bool      `json:"reached"`               // the rows that chose the effort reached the recall
	Recall      float64   `json:"recall"`                // mean recall of the reporting rows
	PerQuery    []float64 `json:"-"`                     // recall of each reporting row
	Evaluations float64   `json:"evaluations,omitempty"` // distances per query; 0: not counted
}

// Tune finds the least effort, of a row of them that grow by a quarter, that reaches a recall
// on rows of the store as queries. Each is held out, as by Query.Without. The effort is found on one half of the sample, and the
// recall reported is that of the other, which has no say unless it is below the recall by more than chance: then the effort grows. It is the recall of queries that lie
// as the rows do, over a graph that lacks the row: queries from elsewhere may need less or more.
// Recall compares theirs with exact answers. It compares all sampled rows with all rows, which is
// most of its time. Errors: those of Append, and that of ctx.
func (s *Searcher) Tune(ctx context.Context, o TuneOptions) (t Tuned, err error) {
	if !s.calls.Enter() {
		return t, store.ErrClosed
	}
	defer s.calls.Leave()
	wanted, err := tuning.Options(o).WithDefaults()
	if err != nil {
		return t, fmt.Errorf("%w: %w", ErrQuery, err)
	}
	drawn := holdOut(s.Len(), 2*wanted.Sample, wanted.Seed)
	held := heldOut{s, ctx}
	if len(drawn) < 2 {
		return Tuned{Effort: wanted.K, Reached: true, Recall: 1, PerQuery: []float64{}}, nil
	}
	truth, err := held.search(drawn, Query{K: wanted.K, Exact: true})
	if err != nil {
		return t, err
	}
	var before Counts
	found, err := wanted.Find(s.Len(), len(drawn), func(from, end, effort int) ([]float64, error) {
		before = s.Counts()
		return held.recall(drawn[from:end], truth[from:end], Query{K: wanted.K, Effort: effort})
	})
	return Tuned{Effort: found.Effort, Reached: found.Reached, Recall: found.Recall, PerQuery: found.PerQuery,
		Evaluations: s.Counts().Sub(before).PerQuery()}, err
}

// PerQuery returns the evaluations per query.
func (c Counts) PerQuery() float64 { return float64(c.Evaluations) / max(1, float64(c.Queries)) }

// holdOut draws m of n places, in any order.
func holdOut(n, m int, seed uint64) []uint32 {
	rng := rand.New(rand.NewPCG(seed, 0x68656c64))
	m = min(m, n)
	seen := make(map[uint32]bool, m)
	drawn := make([]uint32, 0, m)
	for len(drawn) < m {
		if p := uint32(rng.Uint64N(uint64(n))); !seen[p] {
			seen[p] = true
			drawn = append(drawn, p)
		}
	}
	return drawn
}

// heldOut searches for rows that are held out.
type heldOut struct {
	s   *Searcher
	ctx context.Context
}

// search answers queries that are places; each place is hidden from its own query.
func (h heldOut) search(places []uint32, q Query) ([][]store.Neighbor, error) {
	s := h.s
	if err := s.check(&q); err != nil {
		return nil, err
	}
	found := make([][]store.Neighbor, len(places))
	err := vectors.Ranges(s.opts.Threads, len(places), batch, func() func(from, to int) error {
		values := make([]float32, s.Dim())
		return func(from, to int) error {
			failed, err := s.together(to-from, q.Exact, func(i int, w *walker) error {
				place := places[from+i]
				s.space.Float32(s.rows.Row(int(place)), values)
				q := q
				q.hidden, q.isHidden, q.form = place, true, stored
				return w.begin(values, q)
			}, func(i int, w *walker) (err error) {
				found[from+i], err = w.append(nil)
				return err
			})
			if err != nil {
				return fmt.Errorf("held-out row %d: %w", s.order[places[from+failed]], err)
			}
			return h.ctx.Err()
		}
	})
	return found, err
}

// recall returns the recall of each query. truth holds the exact answers.
func (h heldOut) recall(places []uint32, truth [][]store.Neighbor, q Query) ([]float64, error) {
	found, err := h.search(places, q)
	if err != nil {
		return nil, err
	}
	per := make([]float64, len(found))
	for i := range found {
		per[i] = Recall(found[i], truth[i])
	}
	return per, nil
}

// Recall returns the share of a query's exact results that were found. A result as near as the last exact one
// counts as exact. It is 1 if there are no exact results.
func Recall(found, exact []store.Neighbor) float64 {
	if len(exact) == 0 {
		return 1
	}
	last := exact[len(exact)-1].Distance
	hits := 0
	for _, f := range found {
		if f.Distance <= last {
			hits++
		}
	}
	return float64(min(hits, len(exact))) / float64(len(exact))
}
