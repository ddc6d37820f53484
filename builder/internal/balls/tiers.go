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
// less, so where all of it would soon be beyond the budget twice their pairs count.
func (m *Method) tiersFirst(kind string) bool {
	s, g := &m.State, &m.Goal
	if kind != job.DivisionStage && kind != job.KeysStage || m.Steer == nil || m.opts.Known != nil || !m.Tiered() {
		return false
	}
	all := s.AllPairs(m.N())
	more, cycle := g.Keyed(), 0.0
	if kind == job.DivisionStage {
		more, cycle = g.Declining(s)
	}
	if 2*more <= tiers.Share(1)*all {
		return false
	}
	rest := tiers.Share(m.tiers().Needed(g.Aim(s))) * all
	return more > rest || kind == job.DivisionStage && 2*more > rest && g.Spent(s)+cycle+rest > tieredBudget*all
}

// tiers puts the rows into tiers by their candidates.
func (m *Method) tiers() *tiers.Tiers {
	m.joins.free() // the next stage needs none
	var near []uint32
	return tiers.Of(&tiers.Lists{N: m.N(),
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
	}, build.TruthOf(m.Steer, m.State.Last().Recall), m.Goal.Aim(&m.State))
}
