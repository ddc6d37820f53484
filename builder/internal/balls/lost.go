package balls

import (
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/tiers"
)

// Rows of many dimensions, such as random hashes, have neighbors that neither divisions nor joins find
// with fewer pairs than all pairs take. The first divisions tell: before more is spent than a build may
// lose, tiers come first.

// outlook is how a build goes on before the first joins. take and joined take a moment to find.
type outlook struct {
	take   func() float64 // the share of all pairs that tiers are expected to take
	joined func() float64 // joinable
}

// lost reports whether tiers come before another division, or the first joins: divisions alone would take
// far more than all pairs, joins would find little, and after another division tiers would be beyond the
// budget.
func (o outlook) lost(s *job.State, g *job.Goal) bool {
	all := s.AllPairs(s.Rows)
	alone, cycle := g.DivisionsAlone(s)
	spent, cycle := g.Spent(s)/all, cycle/all
	if alone/all <= aloneBudget-spent || spent+cycle+1 <= tieredBudget {
		return false
	}
	take := o.take()
	return spent+cycle+take > tieredBudget && spent+take <= lostBudget && o.joined() < joinsPay
}

// aloneBudget is how many times all pairs a build may be expected to take by divisions alone. 40,000 random
// hashes of 64 bits take 0.81 with joins for 0.95, where 0.8 to 1.1 are expected, and no fewer than all pairs for
// 0.99, where 1.5 and more are.
const aloneBudget = 1.4

// lostBudget is how many times all pairs a build that goes over to tiers may take: if they would take more,
// they come too late.
const lostBudget = 1.15

// joinsPay is the share of the missing neighbors that joins find from which on they pay, however little
// divisions do: of 50,000 hashes of rows that have neighbors (hashes-64 of bench/shapes, jaccard, 0.99)
// it is 0.75, and they take 0.57 of all pairs where divisions alone are expected to take 1.2 and more.
const joinsPay = 0.25

// joinable is the share of the missing neighbors of rows that steer that a first round of joins is expected
// to find: by a row that both list, or that one of them lists and that lists the other. Rows that are listed
// by more than a join takes do not count: it takes few of these.
func joinable(l *tiers.Lists, most int, truth *tiers.Truth) float64 {
	by := make([]int, l.N)
	for place := range uint32(l.N) {
		for _, other := range l.Near(place) {
			by[other]++
		}
	}
	some := func(from []uint32, meets func(via uint32) bool) bool {
		return slices.ContainsFunc(from, func(via uint32) bool { return by[via] <= most && meets(via) })
	}
	missing, joined := 0, 0
	for i, place := range truth.Places {
		near := slices.Clone(l.Near(place))
		for _, other := range truth.Near(i) {
			if slices.Contains(near, other) {
				continue
			}
			missing++
			theirs := slices.Clone(l.Near(other))
			if some(near, func(via uint32) bool { return slices.Contains(theirs, via) || slices.Contains(l.Near(via), other) }) ||
				some(theirs, func(via uint32) bool { return slices.Contains(l.Near(via), place) }) {
				joined++
			}
		}
	}
	return float64(joined) / float64(max(1, missing))
}
