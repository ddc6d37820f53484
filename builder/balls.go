package builder

import (
	"cmp"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/propagation"
	"github.com/knng/knng/vectors"
)

// The balls method: overlapping divisions by hyperspheres and propagation by
// joins, over codes. See the package comment.

// ballsMethod is the method under way.
type ballsMethod struct {
	*run
	found *candidates.Lists
	round *propagation.Round
	kept  time.Time // when found was last on disk as it was in memory
	cells innerCells
}

func (m *ballsMethod) Forecast(s *plan.Shape) {
	m.CountCodes(s)
	if m.Inner() {
		s.CodeBytes += innerBytes(s.Dim)
	}
	s.Slack = int64(m.slack(s.Rows))
	if m.reducible(s.Rows) {
		s.AxesBytes = axesBytes(s.Dim)
	}
}

func (m *ballsMethod) Expected(aim *plan.Aim) (divisions int, rounds float64) {
	if m.opts.Recall > 0 {
		return aim.Balls()
	}
	return m.opts.planned().Balls, 1
}

func (m *ballsMethod) Settle() {
	m.State.Plan = m.opts.planned()
	m.State.Plan.Slack = m.slack(int64(len(m.Good)))
	m.State.Plan.Marks = candidates.Marks
}

// slack is how many candidates are kept beyond k where there are so many rows.
func (m *ballsMethod) slack(rows int64) int {
	if m.Inner() || !m.Space.Metric().Coded() {
		return 0 // lists hold keys
	}
	slack := m.opts.planned().Slack
	if keys := m.BytesAreKeys() && !m.reducible(rows); keys && m.opts.Course.Slack == 0 {
		return slack * keySlack / usualSlack
	}
	return slack
}

func (m *ballsMethod) Arrange(given *vectors.Rows, progress func(int)) ([]uint32, error) {
	return m.BallOrder(given, progress)
}

func (m *ballsMethod) Resume() error { return m.loadCandidates() }

func (m *ballsMethod) Prepare() error {
	if m.Inner() {
		return m.prepareInner()
	}
	if !m.Space.Metric().Coded() {
		m.State.Means = job.ByKeys
	} else if err := m.separateOutliers(); err != nil {
		return err
	}
	if err := m.Sight(m.candidatesByCodes); err != nil {
		return err
	}
	if m.Keyed = m.State.ByKeys(); m.Keyed || m.State.Method != string(Balls) {
		return nil
	}
	if m.tooDear() {
		m.Say("about %d balls a row are expected to take more than all pairs: these are compared", m.State.Expected.Divisions)
		m.State.Side = m.BlockSide()
		return m.takeExact()
	}
	return m.reduce()
}

// Writes is nothing but for a fold, which looks itself.
func (m *ballsMethod) Writes(string) (stored, scratch int64, err error) { return 0, 0, nil }

func (m *ballsMethod) Stage(kind string) error {
	switch kind {
	case job.PropagationStage:
		return m.join()
	case job.KeysStage:
		return m.goKeyed()
	case job.ListsStage:
		return m.goExact()
	}
	if m.Inner() {
		return m.divideInner()
	}
	return m.divideBalls()
}

func (m *ballsMethod) Finish() error { return m.rerank() }

func (m *ballsMethod) Free() {
	m.freeRound()
	if m.found != nil {
		m.found.Free()
		m.found = nil
	}
}

// rerank makes the running lists of the candidates, in their memory.
func (m *ballsMethod) rerank() (err error) {
	p := m.Begin("rerank", "rows", int64(m.N()))
	defer p.End("")
	m.freeRound()
	m.Lists, err = points.Rank(m.Ctx, &m.Points, m.found, p.Add)
	m.DropAxes()
	return err
}

// candidatesK is the length of the lists of candidates.
func (m *ballsMethod) candidatesK() int { return min(m.K+m.State.Plan.Slack, m.N()-1) }

func (m *ballsMethod) candidatesByCodes(places []uint32) ([][]uint32, error) {
	return m.nearByCodes(m.Codes, places, m.candidatesK())
}

// divideBalls runs one overlapping division.
func (m *ballsMethod) divideBalls() error {
	number := m.State.Count(job.DivisionStage) + 1
	m.freeRound()
	stands := m.Goal.OverlapOf(number)
	p := m.Begin(fmt.Sprintf("division %d", number), "rows", int64(m.N())*int64(stands))
	pairs, err := m.solveDivision(number, stands, p)
	if err != nil {
		return err
	}
	st := job.Stage{Kind: job.DivisionStage, Number: number, Requested: pairs, Evaluated: pairs}
	if err := m.look(&st); err != nil {
		return err
	}
	err = m.endBallStage(st)
	p.End("division %d: each row in %d leaves, %.0f pairs a row%s", number, stands, float64(pairs)/float64(m.N()), m.SteerNote())
	return err
}

// solveDivision solves the leaves of a division, by codes or by keys.
func (m *ballsMethod) solveDivision(number, stands int, p *phase) (int64, error) {
	if m.Keyed {
		return m.divideKeyed(number, stands, p)
	}
	solver := &leaves.Balls{Ctx: m.Ctx, Codes: m.Codes, Found: m.found, Ordered: !m.opts.Reference, Progress: p.Add}
	return solver.Solve(m.Balls(cmp.Or(m.Lead, m.Codes), stands), uint32(number))
}

// join runs one round of joins, or as many parts of it as the target recall
// takes.
func (m *ballsMethod) join() error {
	number := m.State.Count(job.PropagationStage) + 1
	p := m.Begin(fmt.Sprintf("propagation %d", number), "rows", int64(m.N()))
	if m.round == nil {
		m.round = propagation.NewRound(m.found, m.State.Plan.Most)
	}
	m.round.Begin(m.opts.Seed + uint64(number))
	st := job.Stage{Kind: job.PropagationStage, Number: number}
	before := m.State.Last().Recall
	for st.Parts < propagation.Parts && !m.Goal.Reached(&m.State, st.Recall, st.Margin) {
		to := m.partsTo(st, before)
		pairs, err := m.joinParts(st.Parts, to, p)
		if err != nil {
			return err
		}
		st.Parts = to
		st.Requested += pairs
		if err := m.look(&st); err != nil {
			return err
		}
	}
	st.Evaluated = st.Requested
	err := m.endBallStage(st)
	p.End("propagation %d: %.0f pairs a row, %d of %d rows%s", number, float64(st.Requested)/float64(m.N()),
		m.N()*st.Parts/propagation.Parts, m.N(), m.SteerNote())
	return err
}

// freeRound gives back the memory that only rounds need.
func (m *ballsMethod) freeRound() {
	if m.round != nil {
		m.round.Free()
		m.round = nil
	}
}

// partsTo is after which part of a round to look at recall next. Later parts gain
// less than those before, whose finds they meet again: as many of them as would
// reach the target at the same rate do not overshoot it. Few steering rows tell the rate
// of few parts badly: it is relied on for no more than as many parts again, and one.
func (m *ballsMethod) partsTo(st job.Stage, before float64) int {
	switch gain := st.Recall - before; {
	case m.opts.Recall == 0:
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

// joinRange is how many places a thread takes at a time.
const joinRange = 1024

// joinParts joins around the places of parts from to to-1.
func (m *ballsMethod) joinParts(from, to int, p *phase) (int64, error) {
	var pairs atomic.Int64
	for from < to {
		if from == m.round.Entered() {
			if err := m.round.Enter(from, m.opts.Threads); err != nil {
				return 0, err
			}
		}
		end := min(to, m.round.Entered())
		err := vectors.Apart(m.opts.Threads, m.N(), joinRange, func() func(first, last int) error {
			join, places := m.joiner(), make([]uint32, 0, joinRange)
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

// look measures recall after a stage, or a part of one, on the steering rows.
func (m *ballsMethod) look(st *job.Stage) (err error) {
	if m.Steer != nil {
		st.Recall, st.Margin, err = m.steeredCandidates()
	}
	return err
}

// endBallStage records a stage.
func (m *ballsMethod) endBallStage(st job.Stage) error {
	m.State.Stages = append(m.State.Stages, st)
	m.Unsaved++
	return m.keep()
}

// steeredRange is how many steering rows a thread takes at a time: their candidates lie
// far apart, and to look for them on one thread took a fiftieth of GIST's time.
const steeredRange = 16

// steeredCandidates is the mean recall of the steering rows' nearest k
// candidates, and its standard error.
func (m *ballsMethod) steeredCandidates() (mean, standardError float64, err error) {
	per := make([]float64, len(m.Steer.Places))
	err = vectors.Ranges(m.opts.Threads, len(per), steeredRange, func() func(from, to int) error {
		exact := points.NewRanker(&m.Points, m.found)
		return func(from, to int) error {
			for i := from; i < to; i++ {
				ids, keys, err := exact.List(m.Steer.Places[i])
				if err != nil {
					return err
				}
				per[i] = m.Steer.Recall(i, ids, keys)
			}
			return nil
		}
	})
	if err != nil {
		return 0, 0, err
	}
	mean, standardError = build.MeanOf(per)
	return mean, standardError, nil
}
