package search

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// TuneOptions says which effort is looked for.
type TuneOptions struct {
	K      int     // results of a query; 0 is 10
	Recall float64 // share of the true results that are to be found; 0 is 0.95
	Sample int     // rows that tell the effort, and as many others that report; 0 is 200
	Seed   uint64  // of the sample
}

// Tuned is a result of Tune.
type Tuned struct {
	Effort      int       `json:"effort"`      // for Query.Effort
	Reached     bool      `json:"reached"`     // the rows that tell the effort reached the recall
	Recall      float64   `json:"recall"`      // of the rows that report
	PerQuery    []float64 `json:"-"`           // of each of these
	Evaluations float64   `json:"evaluations"` // distances a query
}

// maxEffort is the largest effort that Tune tries.
const maxEffort = 1 << 14

// Tune finds the least effort, of a row of them that grow by a quarter, that reaches a recall
// on rows of the store as queries. Each is held out: the walk can neither find it nor step on
// it, and its links are not followed. The effort is found on one half of the sample, and the
// recall reported is that of the other, which had no say. It is the recall of queries that lie
// as the rows do, over a graph that lacks the row: queries from elsewhere may need less or more.
// Recall compares theirs with exact answers. It compares all sampled rows with all rows, which is
// most of its time. Errors: those of Append, and that of ctx.
func (s *Searcher) Tune(ctx context.Context, o TuneOptions) (t Tuned, err error) {
	if !s.calls.Enter() {
		return t, store.ErrClosed
	}
	defer s.calls.Leave()
	if o, err = o.WithDefaults(); err != nil {
		return t, err
	}
	drawn := holdOut(s.Len(), 2*o.Sample, o.Seed)
	tune := tuning{s, ctx}
	if len(drawn) < 2 {
		return Tuned{Effort: o.K, Reached: true, Recall: 1, PerQuery: []float64{}}, nil
	}
	truth, err := tune.held(drawn, Query{K: o.K, Exact: true})
	if err != nil {
		return t, err
	}
	half := len(drawn) / 2
	t.Effort, t.Reached, err = o.Least(s.Len(), func(effort int) ([]float64, error) {
		return tune.recall(drawn[:half], truth[:half], Query{K: o.K, Effort: effort})
	})
	if err != nil {
		return t, err
	}
	before := s.Counts()
	t.PerQuery, err = tune.recall(drawn[half:], truth[half:], Query{K: o.K, Effort: t.Effort})
	t.Evaluations = s.Counts().Sub(before).PerQuery()
	t.Recall = mean(t.PerQuery)
	return t, err
}

// WithDefaults are the options with defaults for fields of 0. Errors: ErrQuery.
func (o TuneOptions) WithDefaults() (TuneOptions, error) {
	o.K, o.Sample = cmp.Or(o.K, 10), cmp.Or(o.Sample, 200)
	o.Recall = cmp.Or(o.Recall, 0.95)
	if o.K < 1 || !(o.Recall > 0 && o.Recall <= 1) || o.Sample < 1 {
		return o, fmt.Errorf("%w: tuning for %d results, recall %v, by %d rows", ErrQuery, o.K, o.Recall, o.Sample)
	}
	return o, nil
}

// Least is the least effort that Tune would take over n rows, where recalls tells those of queries by an effort, and whether it reaches the recall.
func (o TuneOptions) Least(n int, recalls func(effort int) ([]float64, error)) (effort int, reached bool, err error) {
	most := min(n, maxEffort)
	for effort = min(o.K, most); ; effort = min(max(effort+1, effort*5/4), most) {
		per, err := recalls(effort)
		if err != nil {
			return effort, false, err
		}
		if reached = mean(per) >= o.Recall; reached || effort == most {
			return effort, reached, nil
		}
	}
}

// PerQuery is evaluations by queries.
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

// tuning searches for rows that are held out.
type tuning struct {
	s   *Searcher
	ctx context.Context
}

// held answers queries that are places, each of which is hidden from its own.
func (t tuning) held(places []uint32, q Query) ([][]store.Neighbor, error) {
	s := t.s
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
			return t.ctx.Err()
		}
	})
	return found, err
}

// recall is that of each of the queries, whose exact answers are truth.
func (t tuning) recall(places []uint32, truth [][]store.Neighbor, q Query) ([]float64, error) {
	found, err := t.held(places, q)
	if err != nil {
		return nil, err
	}
	per := make([]float64, len(found))
	for i := range found {
		per[i] = Recall(found[i], truth[i])
	}
	return per, nil
}

// Recall is the share of a query's exact results that were found; one that is as near as the
// last of them counts as one of them. It is 1 where there are none.
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

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}
