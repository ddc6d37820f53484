package builder

import (
	"cmp"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/division"
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

// rounding is that of the build, which is fitted on rows the first time.
func (r *run) rounding(rows *vectors.Rows) (rounding codes.Rounding, err error) {
	known, err := r.draft.Load("rounding", &rounding)
	if err != nil || known {
		return rounding, err
	}
	rounding = r.fitted(rows)
	return rounding, r.draft.Record("rounding", rounding)
}

// balls is the divider of the balls method.
func (r *run) balls(m *codes.Matrix, overlap int) *division.Balls {
	return &division.Balls{Codes: m, Seed: r.opts.Seed, LeafSize: r.opts.LeafSize, Overlap: overlap, Threads: r.opts.Threads}
}

// divideBalls runs one overlapping division.
func (r *run) divideBalls() error {
	number := r.state.count(divisionStage) + 1
	r.freeRound()
	stands := r.state.overlapOf(&r.opts, number)
	b := r.balls(cmp.Or(r.lead, r.codes), stands)
	p := r.begin(fmt.Sprintf("division %d", number), "rows", int64(r.n())*int64(stands))
	leaves := &ballLeaves{ctx: r.ctx, codes: r.codes, found: r.found, ordered: !r.opts.Reference, progress: p.Add}
	pairs, err := leaves.solve(b, uint32(number))
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
		exact := newReranker(&r.points, r.found)
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
