package balls

import (
	"slices"

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

// A way is how a build may go on without tiers: it is expected to take more pairs a row. Tiers that take
// fewer come first, where these and all before them are more than least.
type way struct{ more, least float64 }

// waysOn are how a build may go on. Divisions find less and less, so their pairs count twice where with
// another one and the tiers after it the build would be beyond the budget. Before joins, which find many
// of the missing neighbors at once, they count less.
func waysOn(s *job.State, g *job.Goal, kind string) []way {
	if kind == job.KeysStage {
		return []way{{g.Keyed(), 0}}
	}
	more, cycle := g.Declining(s)
	late, keys := tieredBudget*s.AllPairs(s.Rows)-cycle, way{g.WithKeys(s), 0}
	switch s.LastWork().Kind {
	case job.PropagationStage:
		return []way{{more, 0}, {2 * more, late}, keys}
	case job.HubsStage: // once: the next division tells how many pairs a gain takes
		return []way{keys}
	}
	return []way{{1.5 * more, late}, keys}
}

// tiersFirst reports whether the exact method goes on, tier by tier, in place of another division, or of
// going over to keys: where that is expected to take fewer pairs than one of the ways on.
func (m *Method) tiersFirst(kind string) bool {
	s, g := &m.State, &m.Goal
	if kind != job.DivisionStage && kind != job.KeysStage || m.Steer == nil || len(s.Stages) == 0 || m.opts.Known != nil || !m.Tiered() {
		return false
	}
	all, spent, ways := s.AllPairs(s.Rows), g.Spent(s), waysOn(s, g, kind)
	if !slices.ContainsFunc(ways, func(w way) bool { return w.more > max(tiers.Share(1)*all, w.least-spent) }) {
		return false // whatever they take; to put rows into tiers takes a while
	}
	return tiersBefore(ways, spent, tiers.Share(m.tiers().Needed(g.Aim(s)))*all)
}

// tiersBefore reports whether tiers that take so many pairs a row, after so many that are spent, come before
// the ways on.
func tiersBefore(ways []way, spent, take float64) bool {
	return slices.ContainsFunc(ways, func(w way) bool { return w.more > take && spent+take > w.least })
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
