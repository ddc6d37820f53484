package builder

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/pages"
	"github.com/knng/knng/builder/propagation"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// The balls method: overlapping divisions by hyperspheres and propagation by
// joins, over codes. See the package comment.

// ballLists is what the balls method holds.
type ballLists struct {
	found   *candidates.Lists // for a while in the exact method too
	round   *propagation.Round
	kept    time.Time // when found was last on disk as it was in memory
	durable int       // stages that found had on disk then
}

// course is how the balls method goes about a build, settled before its first
// stage.
type course struct {
	Balls  int     `json:"balls"`  // that a row stands in altogether, where recall does not steer
	Slack  int     `json:"slack"`  // candidates kept beyond k
	Most   int     `json:"most"`   // rows that list a row which a join takes
	Switch float64 `json:"switch"` // recall from which joins take over from divisions
	Marks  int     `json:"marks"`  // of an entry of a list on disk
}

// overlap is how many balls a row stands in within one division. Fewer would
// assign rows to leaders more often, more would stop less exactly.
const overlap = 4

// candidatesK is the length of the lists of candidates.
func (r *run) candidatesK() int { return min(r.k+r.state.Plan.Slack, r.n()-1) }

// roundedRows is the codes of rows, by the rounding that was fitted on the rows
// in input order.
func (r *run) roundedRows(rows *vectors.Rows) (*codes.Matrix, error) {
	rounding, err := r.rounding(rows)
	if err != nil {
		return nil, err
	}
	return codes.Of(rows, r.space, rounding, r.opts.Threads)
}

// rounding is that of the build, which is fitted on rows the first time.
func (r *run) rounding(rows *vectors.Rows) (rounding codes.Rounding, err error) {
	known, err := r.draft.Load("rounding", &rounding)
	if err != nil || known {
		return rounding, err
	}
	rounding = r.fitted(rows)
	return rounding, r.draft.Record("rounding", rounding)
}

// fitted is the rounding of codes for what the method has them for: for bounds on keys,
// or for an order of candidates.
func (r *run) fitted(rows *vectors.Rows) codes.Rounding {
	if r.state.Method == Exact {
		return codes.FitRows(rows, r.space)
	}
	rounding, _ := codes.Fit(rows, r.space)
	return rounding
}

// balls is the divider of the balls method.
func (r *run) balls(m *codes.Matrix, overlap int) *division.Balls {
	return &division.Balls{Codes: m, Seed: r.opts.Seed, LeafSize: r.opts.LeafSize, Overlap: overlap, Threads: r.opts.Threads}
}

// ballOrder is the locality order of the rows given: the leaves of division 0,
// ball after ball.
func (r *run) ballOrder(given *vectors.Rows, progress func(int)) ([]uint32, error) {
	m, err := r.roundedRows(given)
	if err != nil {
		return nil, err
	}
	r.codes = m
	b := r.balls(m, 1)
	balls, _, err := b.Root(r.ctx, 0)
	if err != nil {
		return nil, err
	}
	orders := make([][]uint32, len(balls))
	err = r.eachBall(b, 0, balls, func() ballWork {
		return func(w *division.BallWorker, i int) error {
			defer progress(len(balls[i]))
			return w.Carve(i, balls[i], func(leaf []uint32) error {
				slices.Sort(leaf)
				orders[i] = append(orders[i], leaf...)
				return r.ctx.Err()
			})
		}
	})
	return slices.Concat(orders...), err
}

type ballWork func(w *division.BallWorker, ball int) error

// largeBall is from how many times their mean on balls are large. The root of a large division
// has 240: one that a thread ends with is at most a sixtieth of it.
const largeBall = 4

// eachBall does the balls of a division, of which the next are near: a thread meets the lists
// that it has just written, and others somewhere else. Large ones come first, so that no
// thread is left with one at the end.
func (r *run) eachBall(b *division.Balls, number int, balls [][]uint32, worker func() ballWork) error {
	places := 0
	for _, ball := range balls {
		places += len(ball)
	}
	var order, usual []int
	for i, ball := range balls {
		if len(ball)*len(balls) > largeBall*places {
			order = append(order, i)
		} else {
			usual = append(usual, i)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(len(balls[y]), len(balls[x])) })
	order = append(order, usual...)
	return vectors.Apart(r.opts.Threads, len(order), 1, func() func(from, to int) error {
		w, work := b.Worker(uint32(number)), worker()
		return func(i, _ int) error { return work(w, order[i]) }
	})
}

// solveBalls solves the leaves of a division as they are carved, and returns how many
// pairs were compared, those with leaders among them. Of the first division one of the leaves
// that a row stands in is what lies around it in the order.
func (r *run) solveBalls(b *division.Balls, number uint32, p *phase) (int64, error) {
	var pairs atomic.Int64
	if number == 1 && b.Overlap > 1 && !r.opts.Reference {
		if err := r.solveStretches(b.LeafSize, p, &pairs); err != nil {
			return 0, err
		}
		b.Overlap--
	}
	room := pages.Make[uint32](r.n() * b.Overlap)
	defer room.Free()
	b.Room = room.Slice
	balls, compared, err := b.Root(r.ctx, number)
	if err != nil {
		return 0, err
	}
	pairs.Add(compared)
	err = r.eachBall(b, int(number), balls, func() ballWork {
		solve := r.leafOfCodes()
		return func(w *division.BallWorker, i int) error {
			w.Compared = 0
			defer p.Add(len(balls[i]))
			err := w.Carve(i, balls[i], func(leaf []uint32) error {
				w.Compared += int64(len(leaf)) * int64(len(leaf)-1) / 2
				solve(leaf)
				return r.ctx.Err()
			})
			pairs.Add(w.Compared)
			return err
		}
	})
	return pairs.Load(), err
}

// stretchesAtOnce is how many stretches a goroutine takes at a time.
const stretchesAtOnce = 4

// solveStretches takes stretches of the order as leaves of at most size places. They need no
// leaders, lie together in memory, and leave lists with bounds: with three balls beside them
// SIFT (300,000) and GIST reach recall 0.615 and 0.621 in 0.55 and 0.13 s, with four balls
// 0.615 and 0.622 in 0.64 and 0.15. Half as long ones give 0.585, longer ones cost more.
func (r *run) solveStretches(size int, p *phase, pairs *atomic.Int64) error {
	count := (r.n() + size - 1) / size
	return vectors.Apart(r.opts.Threads, count, stretchesAtOnce, func() func(from, to int) error {
		solve, leaf := r.leafOfCodes(), make([]uint32, 0, size)
		return func(from, to int) error {
			for i := from; i < to; i++ {
				leaf = leaf[:0]
				for place := i * r.n() / count; place < (i+1)*r.n()/count; place++ {
					leaf = append(leaf, uint32(place))
				}
				solve(leaf)
				pairs.Add(int64(len(leaf)) * int64(len(leaf)-1) / 2)
				p.Add(len(leaf))
			}
			return r.ctx.Err()
		}
	})
}

// divideBalls runs one overlapping division.
func (r *run) divideBalls() error {
	number := r.state.count(divisionStage) + 1
	r.freeRound()
	stands := r.state.overlapOf(&r.opts, number)
	b := r.balls(cmp.Or(r.lead, r.codes), stands)
	p := r.begin(fmt.Sprintf("division %d", number), "rows", int64(r.n())*int64(stands))
	pairs, err := r.solveBalls(b, uint32(number), p)
	if err != nil {
		return err
	}
	st := stage{Kind: divisionStage, Number: number, Requested: pairs, Evaluated: pairs}
	if err := r.look(&st); err != nil {
		return err
	}
	err = r.endBallStage(st)
	p.End("division %d: each row in %d leaves, %.0f pairs a row%s", number, stands, float64(pairs)/float64(r.n()), r.steerNote())
	return err
}

// join runs one round of joins, or as many parts of it as the target recall
// takes.
func (r *run) join() error {
	number := r.state.count(propagationStage) + 1
	p := r.begin(fmt.Sprintf("propagation %d", number), "rows", int64(r.n()))
	if r.round == nil {
		r.round = propagation.NewRound(r.found, r.state.Plan.Most)
	}
	r.round.Begin(r.opts.Seed + uint64(number))
	st := stage{Kind: propagationStage, Number: number}
	before := r.state.last().Recall
	for st.Parts < propagation.Parts && !r.state.reached(&r.opts, st.Recall, st.Margin) {
		to := r.partsTo(st, before)
		pairs, err := r.joinParts(st.Parts, to, p)
		if err != nil {
			return err
		}
		st.Parts = to
		st.Requested += pairs
		if err := r.look(&st); err != nil {
			return err
		}
	}
	st.Evaluated = st.Requested
	err := r.endBallStage(st)
	p.End("propagation %d: %.0f pairs a row, %d of %d rows%s", number, float64(st.Requested)/float64(r.n()),
		r.n()*st.Parts/propagation.Parts, r.n(), r.steerNote())
	return err
}

// freeRound gives back what only rounds need.
func (r *run) freeRound() {
	if r.round != nil {
		r.round.Free()
		r.round = nil
	}
}

// partsTo is after which part of a round to look at recall next. Later parts gain
// less than those before, whose finds they meet again: as many of them as would
// reach the target at the same rate do not overshoot it. Few steering rows tell the rate
// of few parts badly: it is relied on for no more than as many parts again, and one.
func (r *run) partsTo(st stage, before float64) int {
	switch gain := st.Recall - before; {
	case r.opts.Recall == 0:
		return propagation.Parts
	case st.Parts == 0:
		return 1
	case gain <= 0:
		return min(2*st.Parts+1, propagation.Parts)
	default:
		missing := (wanted(&r.opts, st.Margin) - st.Recall) / gain * float64(st.Parts)
		more := min(max(1, int(missing)), st.Parts+1)
		return min(st.Parts+more, propagation.Parts)
	}
}

// joinRange is how many places a thread takes at a time.
const joinRange = 1024

// joinParts joins around the places of parts from to to-1.
func (r *run) joinParts(from, to int, p *phase) (int64, error) {
	var pairs atomic.Int64
	for from < to {
		if from == r.round.Entered() {
			if err := r.round.Enter(from, r.opts.Threads); err != nil {
				return 0, err
			}
		}
		end := min(to, r.round.Entered())
		err := vectors.Apart(r.opts.Threads, r.n(), joinRange, func() func(first, last int) error {
			join, places := r.round.Join(r.codes), make([]uint32, 0, joinRange)
			return func(first, last int) error {
				places = places[:0]
				for place := uint32(first); place < uint32(last); place++ {
					if part := propagation.Part(place); part >= from && part < end {
						places = append(places, place)
					}
				}
				pairs.Add(int64(join.Around(places...)))
				p.Add(len(places))
				return r.ctx.Err()
			}
		})
		if err != nil {
			return 0, err
		}
		from = end
	}
	return pairs.Load(), nil
}

// look measures recall after a stage, or a part of one, on the steering rows.
func (r *run) look(st *stage) (err error) {
	if r.steer != nil {
		st.Recall, st.Margin, err = r.steeredCandidates()
	}
	return err
}

// endBallStage records a stage.
func (r *run) endBallStage(st stage) error {
	r.state.Stages = append(r.state.Stages, st)
	return r.keep()
}

// steeredRange is how many steering rows a thread takes at a time: their candidates lie
// far apart, and to look for them on one thread took a fiftieth of GIST's time.
const steeredRange = 16

// steeredCandidates is the mean recall of the steering rows' nearest k
// candidates, and its standard error.
func (r *run) steeredCandidates() (mean, standardError float64, err error) {
	per := make([]float64, len(r.steer.Places))
	err = vectors.Ranges(r.opts.Threads, len(per), steeredRange, func() func(from, to int) error {
		exact := r.reranker()
		return func(from, to int) error {
			for i := from; i < to; i++ {
				ids, keys, err := exact.list(r.steer.Places[i])
				if err != nil {
					return err
				}
				per[i] = r.steer.Recall(i, ids, keys)
			}
			return nil
		}
	})
	if err != nil {
		return 0, 0, err
	}
	mean, standardError = meanOf(per)
	return mean, standardError, nil
}

// meanOf is the mean of some recalls, and its standard error.
func meanOf(per []float64) (mean, standardError float64) {
	n := float64(len(per))
	for _, x := range per {
		mean += x
	}
	mean /= n
	var squares float64
	for _, x := range per {
		squares += float64((x - mean) * (x - mean))
	}
	return mean, math.Sqrt(squares / n / max(n-1, 1))
}
