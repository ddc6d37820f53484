package balls

import (
	"cmp"
	"fmt"
	"sync/atomic"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/internal/propagation"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/vectors"
)

// joins runs the rounds of joins of a build.
type joins struct {
	m     *Method
	round *propagation.Round // nil: none since a division
}

// run runs one round, or as many of its parts as the target recall needs.
func (j *joins) run() error {
	m := j.m
	number := m.State.Count(job.PropagationStage) + 1
	p := m.Begin(fmt.Sprintf("propagation %d", number), "rows", int64(m.N()))
	if err := j.begin(m.Set.Seed + uint64(number)); err != nil {
		return err
	}
	st := job.Stage{Kind: job.PropagationStage, Number: number}
	before := m.State.Last().Recall
	for st.Parts < propagation.Parts && !m.Goal.Reached(&m.State, st.Recall, st.Margin) {
		to := j.partsTo(st, before)
		pairs, err := j.parts(st.Parts, to, p)
		if err != nil {
			return err
		}
		st.Parts = to
		st.Requested += pairs
		if err := m.look(&st); err != nil {
			return err
		}
		m.Foresee(&st)
	}
	st.Evaluated = st.Requested
	err := m.endBallStage(st)
	p.End("propagation %d: %.0f pairs a row, %d of %d rows%s", number, float64(st.Requested)/float64(m.N()),
		m.N()*st.Parts/propagation.Parts, m.N(), m.SteerNote())
	return err
}

// begin begins a round. If most missing neighbors are in other parts, its joins compare only rows of
// different parts.
func (j *joins) begin(seed uint64) error {
	m := j.m
	if j.round == nil {
		j.round = propagation.NewRound(m.found, m.State.Plan.Most)
		j.round.Fresh(m.K - m.Set.Spare + m.State.Plan.Slack)
	}
	j.round.Begin(seed)
	across, err := m.parts.across()
	if j.round.Across(nil); across {
		j.round.Across(m.parts.of)
	}
	return err
}

// free frees the memory that only rounds need.
func (j *joins) free() {
	if j.round != nil {
		j.round.Free()
		j.round = nil
	}
}

// partsTo returns the part of a round after which to measure recall next. Later parts gain less than earlier
// ones, since they repeat some of their finds, so the parts that would reach the target at the rate so far do
// not overshoot it. A rate measured on few parts and few steering rows is inexact: it decides about at most
// as many parts as are done, plus one.
func (j *joins) partsTo(st job.Stage, before float64) int {
	m := j.m
	switch gain := st.Recall - before; {
	case m.Set.Recall == 0:
		return propagation.Parts
	case st.Parts == 0:
		return 1
	case gain <= 0:
		return min(2*st.Parts+1, propagation.Parts)
	default:
		missing := (m.Goal.Wanted(st.Margin) - st.Recall) / gain * float64(st.Parts)
		more := min(max(1, int(missing)), st.Parts+1)
		return min(st.Parts+more, propagation.Parts)
	}
}

// joinRange is the number of places that a thread takes at a time.
const joinRange = 1024

// parts joins around the places of parts from to to-1.
func (j *joins) parts(from, to int, p *progress.Phase) (int64, error) {
	m := j.m
	var pairs atomic.Int64
	for from < to {
		if from == j.round.Entered() {
			if err := j.round.Enter(from, m.Job.Threads); err != nil {
				return 0, err
			}
		}
		end := min(to, j.round.Entered())
		err := vectors.Apart(m.Job.Threads, m.N(), joinRange, func() func(first, last int) error {
			join, places := j.joiner(), make([]uint32, 0, joinRange)
			return func(first, last int) error {
				places = places[:0]
				for place := uint32(first); place < uint32(last); place++ {
					if part := propagation.Part(place); part >= from && part < end {
						places = append(places, place)
					}
				}
				pairs.Add(int64(join.Around(places...)))
				p.Add(len(places))
				return cmp.Or(join.Err(), m.Ctx.Err())
			}
		})
		if err != nil {
			return 0, err
		}
		from = end
	}
	return pairs.Load(), nil
}

// joiner returns one goroutine's joiner, by codes or by keys.
func (j *joins) joiner() *propagation.Join {
	m := j.m
	if !m.Keyed {
		return j.round.Join(m.Codes)
	}
	c := leaves.Comparer(&m.Points, m.found)
	return j.round.JoinBy(func(all []uint32, fresh int) error {
		_, err := c.Among(all, fresh)
		return err
	})
}
