package builder

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/lot"
	"github.com/knng/knng/builder/propagation"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// The balls method: overlapping divisions by hyperspheres and propagation by
// joins, over codes. See the package comment.

// plan is how the balls method goes about a build, settled before its first
// stage.
type plan struct {
	Balls  int     `json:"balls"`  // that a row stands in altogether, where recall does not steer
	Slack  int     `json:"slack"`  // candidates kept beyond k
	Most   int     `json:"most"`   // rows that list a row which a join takes
	Switch float64 `json:"switch"` // recall from which joins take over from divisions
}

// overlap is how many balls a row stands in within one division. Fewer would
// assign rows to leaders more often, more would stop less exactly.
const overlap = 4

// joinParts is into how many parts a round may be cut, between which recall is
// measured: a round alone may overshoot its target by some percent.
const joinParts = 4

// candidatesK is the length of the lists of candidates.
func (r *run) candidatesK() int { return min(r.k+r.state.Plan.Slack, r.n()-1) }

// roundedRows is the codes of rows, by the rounding that was fitted on the rows
// in input order.
func (r *run) roundedRows(rows *vectors.Rows) (*codes.Matrix, error) {
	var rounding codes.Rounding
	known, err := r.draft.Load("rounding", &rounding)
	if err != nil {
		return nil, err
	}
	if !known {
		rounding, _ = codes.Fit(rows, r.space)
		if err := r.draft.Record("rounding", rounding); err != nil {
			return nil, err
		}
	}
	return codes.Of(rows, r.space, rounding, r.opts.Threads)
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
				orders[i] = append(orders[i], leaf...)
				return r.ctx.Err()
			})
		}
	})
	return slices.Concat(orders...), err
}

type ballWork func(w *division.BallWorker, ball int) error

// eachBall does the balls of a division, the largest first, so that no thread
// is left with a large one at the end.
func (r *run) eachBall(b *division.Balls, number int, balls [][]uint32, worker func() ballWork) error {
	bySize := make([]int, len(balls))
	for i := range bySize {
		bySize[i] = i
	}
	slices.SortStableFunc(bySize, func(x, y int) int { return cmp.Compare(len(balls[y]), len(balls[x])) })
	return eachOf(r.opts.Threads, len(balls), func() func(int) error {
		w, work := b.Worker(uint32(number)), worker()
		return func(i int) error { return work(w, bySize[i]) }
	})
}

// divideBalls runs one overlapping division: leaves are solved as they are
// carved.
func (r *run) divideBalls() error {
	number := r.state.count(divisionStage) + 1
	b := r.balls(r.codes, r.state.overlapOf(&r.opts, number))
	p := r.begin(fmt.Sprintf("division %d", number), "rows", int64(r.n())*int64(b.Overlap))
	balls, compared, err := b.Root(r.ctx, uint32(number))
	if err != nil {
		return err
	}
	var pairs atomic.Int64
	pairs.Add(compared)
	err = r.eachBall(b, number, balls, func() ballWork {
		solve := r.leafOfCodes()
		return func(w *division.BallWorker, i int) error {
			w.Compared = 0
			defer p.add(len(balls[i]))
			err := w.Carve(i, balls[i], func(leaf []uint32) error {
				w.Compared += int64(len(leaf)) * int64(len(leaf)-1) / 2
				solve(leaf)
				return r.ctx.Err()
			})
			pairs.Add(w.Compared)
			return err
		}
	})
	if err != nil {
		return err
	}
	err = r.endBallStage(stage{Kind: divisionStage, Number: number, Requested: pairs.Load(), Evaluated: pairs.Load()})
	p.end("division %d: each row in %d balls, %.0f pairs a row%s", number, b.Overlap, float64(pairs.Load())/float64(r.n()), r.steerNote())
	return err
}

// leafOfCodes returns one worker's way to solve leaves.
func (r *run) leafOfCodes() func(leaf []uint32) {
	tile := r.codes.NewTile()
	var bounds [codes.BandRows]uint32
	return func(leaf []uint32) {
		tile.Expect(leaf)
		tile.Columns(leaf, nil)
		for first := 0; first < len(leaf); first += codes.BandRows {
			band := leaf[first:min(first+codes.BandRows, len(leaf))]
			r.found.Expect(tile, band)
			tile.Band(first, len(leaf), len(leaf))
			for i, place := range band {
				if bounds[i] = r.found.Bound(place); bounds[i] == ^uint32(0) {
					bounds[i] = tile.Bound(i, r.found.K+1)
				}
			}
			tile.Select(bounds[:len(band)])
			for i, place := range band {
				distances, ids := tile.Near(i)
				r.found.Offer(tile, place, distances, ids)
			}
		}
	}
}

// join runs one round of joins, or as many parts of it as the target recall
// takes.
func (r *run) join() error {
	number := r.state.count(propagationStage) + 1
	p := r.begin(fmt.Sprintf("propagation %d", number), "rows", int64(r.n()))
	if r.round == nil {
		r.round = propagation.NewRound(r.found, r.state.Plan.Most)
	}
	r.round.Begin(r.opts.Seed+uint64(number), func(n int, fn func(from, to int)) {
		parallel(r.opts.Threads, n, 4096, fn)
	})
	st := stage{Kind: propagationStage, Number: number}
	before, to := r.state.last().Recall, joinParts
	if r.steer != nil {
		to = 1
	}
	for st.Parts < joinParts && !r.state.reached(&r.opts, st.Recall, st.Margin) {
		pairs, err := r.joinParts(st.Parts, to, p)
		if err != nil {
			return err
		}
		st.Parts = to
		st.Requested += pairs
		if r.steer == nil {
			continue
		}
		if st.Recall, st.Margin, err = r.steeredCandidates(); err != nil {
			return err
		}
		// Later parts gain less than the first one, whose finds they meet again.
		// What can hardly overshoot is done in one go: every part goes through all
		// lists once more.
		if to++; st.Recall+(st.Recall-before)*(joinParts-1)/2 < r.opts.Recall {
			to = joinParts
		}
	}
	st.Evaluated = st.Requested
	err := r.endBallStage(st)
	p.end("propagation %d: %.0f pairs a row, %d of %d rows%s", number, float64(st.Requested)/float64(r.n()),
		r.n()*st.Parts/joinParts, r.n(), r.steerNote())
	return err
}

// joinParts joins around the places of parts from to to-1. Parts are drawn by
// lot, so that a round cut short has served all regions alike.
func (r *run) joinParts(from, to int, p *phase) (int64, error) {
	var pairs atomic.Int64
	const size = 4096
	err := eachOf(r.opts.Threads, (r.n()+size-1)/size, func() func(int) error {
		join := r.round.Join(r.codes)
		return func(i int) error {
			sum, done := 0, 0
			for place := i * size; place < min((i+1)*size, r.n()); place++ {
				if part := int(lot.Mix(uint64(place)) % joinParts); part >= from && part < to {
					sum += join.Around(uint32(place))
					done++
				}
			}
			pairs.Add(int64(sum))
			p.add(done)
			return r.ctx.Err()
		}
	})
	return pairs.Load(), err
}

// endBallStage measures the steering rows and records the stage.
func (r *run) endBallStage(st stage) (err error) {
	if r.steer != nil {
		if st.Recall, st.Margin, err = r.steeredCandidates(); err != nil {
			return err
		}
	}
	r.state.Stages = append(r.state.Stages, st)
	return r.keep()
}

// steeredCandidates is the mean recall of the steering rows' nearest k
// candidates, and its standard error.
func (r *run) steeredCandidates() (mean, standardError float64, err error) {
	exact := r.reranker()
	per := make([]float64, len(r.steer.Places))
	for i, place := range r.steer.Places {
		ids, keys, err := exact.list(place)
		if err != nil {
			return 0, 0, err
		}
		per[i] = r.steer.Recall(i, ids, keys)
		mean += per[i]
	}
	mean /= float64(len(per))
	var squares float64
	for _, x := range per {
		squares += float64((x - mean) * (x - mean))
	}
	n := float64(len(per))
	return mean, math.Sqrt(squares / n / max(n-1, 1)), nil
}
