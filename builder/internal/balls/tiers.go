package balls

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/tiers"
)

// If divisions and joins find less and less because the neighbors of some rows are hard to find, only these
// rows are compared with all others (package tiers). The steering rows show how many of them are expected to
// be needed.

// prospects forecasts stages from the lists and the steering rows.
type prospects struct{ *Method }

// tiersFirst reports whether the exact method continues, tier by tier, instead of another division or a
// switch to keys: it is expected to take fewer pairs, or is the surer way to stay within the budget
// (outlook).
func (m prospects) tiersFirst(kind string) bool {
	s, g := &m.State, &m.Goal
	if kind != job.DivisionStage && kind != job.KeysStage || m.Steer == nil || m.opts.Known != nil || !m.Tiered() {
		return false
	}
	o := outlook{take: m.take}
	switch {
	case kind == job.KeysStage:
		more := g.Keyed() / s.AllPairs(m.N())
		return 2*more > tiers.Share(1) && more > o.take()
	case s.Count(job.PropagationStage) == 0:
		o.joined = m.joined
		return o.lost(s, g)
	}
	return o.declines(s, g)
}

// take returns the share of all pairs that tiers are expected to take.
func (m prospects) take() float64 { return tiers.Share(m.tiers().Needed(m.Goal.Aim(&m.State))) }

// lists returns the pairs per row that the exact method is expected to take, by tiers or by all pairs.
func (m prospects) lists() float64 {
	all := m.State.AllPairs(m.N())
	if !m.Tiered() {
		return all
	}
	return m.take() * all
}

// joinsFirst reports whether the first joins come before another division.
func (m prospects) joinsFirst() bool {
	s, g := &m.State, &m.Goal
	if s.Count(job.PropagationStage) > 0 || !g.Steered(s) || !g.Propagate || g.Capped() || m.Steer == nil || m.opts.Known != nil {
		return false
	}
	return outlook{joined: m.joined}.leads(s)
}

// joined returns joinable for the lists so far.
func (m prospects) joined() float64 {
	return joinable(listsOf(m.Method), m.State.Plan.Most, build.TruthOf(m.Steer, m.State.Last().Recall))
}

// tiers puts the rows into tiers by their candidates.
func (m prospects) tiers() *tiers.Tiers {
	m.joins.free() // the next stage needs none
	return tiers.Of(listsOf(m.Method), build.TruthOf(m.Steer, m.State.Last().Recall), m.Goal.Aim(&m.State))
}

// listsOf returns the candidates as tiers read them.
func listsOf(m *Method) *tiers.Lists {
	var near []uint32
	return &tiers.Lists{N: m.N(),
		Near: func(place uint32) []uint32 {
			near = near[:0]
			for _, e := range m.found.Entries(place) {
				near = append(near, e.Place())
			}
			return near
		},
		Last: m.found.Bound,
		Changed: func(place uint32) (n int) {
			for _, e := range m.found.Entries(place) {
				if e.Marks() != 0 {
					n++
				}
			}
			return n
		},
	}
}
