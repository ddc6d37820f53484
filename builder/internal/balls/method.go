package balls

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
)

// Method is a build by the balls method.
type Method struct {
	*build.Build
	opts    Options
	found   *candidates.Lists
	reduced reducing // short codes, or codes along fewer axes
	saved   saved
	cells   innerCells
	hubs    hubs
	joins   joins
	parts   parting
}

// New returns the balls method on a build.
func New(b *build.Build, o Options) *Method {
	m := &Method{Build: b, opts: o}
	m.hubs.Method = m
	m.saved.m, m.reduced.m, m.cells.m, m.joins.m, m.parts.m = m, m, m, m, m
	return m
}

// Candidates returns the lists of candidates so far; nil before Resume.
func (m *Method) Candidates() *candidates.Lists { return m.found }

func (m *Method) Forecast(s *plan.Shape) {
	s.Kind = plan.Balls
	m.CountCodes(s)
	if m.Inner() {
		s.CodeBytes += innerBytes(s.Dim)
	}
	s.Slack = int64(m.slack(s.Rows))
	s.LeafSize, s.Fewer = m.parts.leafSize(), m.parts.fewer()
	switch {
	case reducible(m.Build, s.Rows):
		s.AxesBytes = axesBytes(s.Dim)
	default:
		s.Shortens = m.shortens(s.Rows)
	}
}

func (m *Method) Expected(aim *plan.Aim) (divisions int, rounds float64) {
	if m.Set.Recall > 0 {
		return aim.Balls()
	}
	return m.opts.Schedule().Balls, 1
}

func (m *Method) Settle() {
	m.State.Plan = m.opts.Schedule()
	m.State.Plan.Slack = m.slack(int64(len(m.Good)))
	m.State.Plan.Marks = candidates.Marks
}

func (m *Method) Arrange(given *vectors.Rows, progress func(int)) ([]uint32, error) {
	return m.BallOrder(given, progress)
}

func (m *Method) Resume() error { return m.saved.load() }

func (m *Method) Prepare() error {
	if m.Inner() {
		return m.cells.prepare()
	}
	if !m.Space.Metric().Coded() {
		m.State.Means = job.ByKeys
	} else if err := m.separateOutliers(); err != nil {
		return err
	}
	if err := m.Sight(m.candidatesByCodes); err != nil {
		return err
	}
	if m.Keyed = m.State.ByKeys(); m.Keyed || m.State.Method != job.BallsMethod {
		return nil
	}
	if m.tooDear() {
		m.Say("about %d balls a row are expected to take more than all pairs: these are compared", m.State.Expected.Divisions)
		return m.ExactInstead()
	}
	if m.lostAtOutset() {
		m.Say("divisions are expected to find too little: all pairs are compared")
		return m.ExactInstead()
	}
	return m.reduced.reduce()
}

// Writes returns 0: the method writes only folds, which check the space themselves.
func (m *Method) Writes(string) (stored, scratch int64, err error) { return 0, 0, nil }

func (m *Method) Stage(kind string) error {
	switch kind {
	case job.KnownStage:
		return m.known()
	case job.PropagationStage:
		return m.joins.run()
	case job.SteerStage:
		return m.widen()
	case job.JoinStage:
		return m.join()
	case job.HubsStage:
		return m.hubs.compare()
	case job.KeysStage:
		return m.goKeyed()
	case job.ListsStage:
		return m.goExact()
	}
	if m.Inner() {
		return m.cells.divide()
	}
	return m.divideBalls()
}

func (m *Method) Finish() error { return m.rerank() }

func (m *Method) Free() {
	m.joins.free()
	m.reduced.free()
	if m.found != nil {
		m.found.Free()
		m.found = nil
	}
}

// rerank ranks the candidates into the lists of the build, in the same memory.
func (m *Method) rerank() (err error) {
	p := m.Begin("rerank", "rows", int64(m.N()))
	defer p.End("")
	m.joins.free()
	m.Lists, err = points.Rank(m.Ctx, &m.Points, m.found, p.Add)
	m.DropAxes()
	m.reduced.free()
	return err
}

// endBallStage records a finished stage.
func (m *Method) endBallStage(st job.Stage) error {
	m.State.Stages = append(m.State.Stages, st)
	m.Unsaved++
	return m.saved.keep()
}

// candidatesK returns the length of the lists of candidates.
func (m *Method) candidatesK() int { return min(m.K+m.State.Plan.Slack, m.N()-1) }

func (m *Method) candidatesByCodes(places []uint32) ([][]uint32, error) {
	return nearByCodes(m.Build, m.Codes, places, m.candidatesK())
}
