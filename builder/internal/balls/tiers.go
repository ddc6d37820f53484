package balls

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/tiers"
)

// Where divisions and joins find less and less, because the neighbors of some rows are hard to find,
// these rows alone are compared with all others (package tiers). The rows that steer tell how many
// of them are expected to be needed.

// tieredBudget is how many times all pairs a build may take that can have tiers compared: it turns to
// them before all of it would be more, unless it is likely to be done soon.
const tieredBudget = 1.1

// tiersFirst reports whether the exact method goes on, tier by tier, in place of another division, or of
// going over to keys: where that is expected to take fewer pairs than these do. Divisions find less and
// less, so where all of it would soon be beyond the budget twice their pairs count. Before the first joins,
// which find many neighbors at once, that holds where these are not expected to pay (outlook).
func (m *Method) tiersFirst(kind string) bool {
	s, g := &m.State, &m.Goal
	if kind != job.DivisionStage && kind != job.KeysStage || m.Steer == nil || m.opts.Known != nil || !m.Tiered() {
		return false
	}
	all := s.AllPairs(m.N())
	rest := func() float64 { return tiers.Share(m.tiers().Needed(g.Aim(s))) }
	if kind == job.DivisionStage && s.Count(job.PropagationStage) == 0 {
		joined := func() float64 { return joinable(listsOf(m), s.Plan.Most, build.TruthOf(m.Steer, s.Last().Recall)) }
		return outlook{rest, joined}.lost(s, g)
	}
	more, cycle := g.Keyed(), 0.0
	if kind == job.DivisionStage {
		more, cycle = g.Declining(s)
	}
	if 2*more <= tiers.Share(1)*all {
		return false
	}
	take := rest() * all
	return more > take || kind == job.DivisionStage && 2*more > take && g.Spent(s)+cycle+take > tieredBudget*all
}

// tiers puts the rows into tiers by their candidates.
func (m *Method) tiers() *tiers.Tiers {
	m.joins.free() // the next stage needs none
	return tiers.Of(listsOf(m), build.TruthOf(m.Steer, m.State.Last().Recall), m.Goal.Aim(&m.State))
}

// listsOf are the lists of candidates as tiers read them.
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
