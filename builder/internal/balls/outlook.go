package balls

import (
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/tiers"
)

// For some rows of many dimensions, such as random hashes, neither divisions nor joins find the neighbors
// with fewer pairs than all pairs. The stages so far show this. Tiers (package tiers) then come next, before
// the build has spent more than it may lose.

// outlook forecasts the rest of a build. take and joined are slow.
type outlook struct {
	take   func() float64 // the share of all pairs that tiers are expected to take
	joined func() float64 // joinable, before the first joins
}

// declines reports whether tiers come before another division after the first joins: each division finds less
// than the one before it, and tiers are expected to take fewer pairs than divisions. Tiers also come if after
// one more division they would exceed the budget, and divisions would take more pairs than they at twice the
// forecast. But if tiers already exceed lostBudget, divisions go on: they may still end within the budget.
func (o outlook) declines(s *job.State, g *job.Goal) bool {
	all := s.AllPairs(s.Rows)
	more, cycle := g.Declining(s)
	more, cycle = more/all, cycle/all
	if 2*more <= tiers.Share(1) {
		return false
	}
	spent, take := g.Spent(s)/all, o.take()
	return more > take || 2*more > take && spent+cycle+take > tieredBudget && spent+take <= lostBudget
}

// tieredBudget is the most pairs, in multiples of all pairs, for a build that can use tiers: it turns to
// tiers before their total would exceed it, unless it is likely to be done soon.
const tieredBudget = 1.1

// lost reports whether tiers come before another division, or before the first joins: divisions alone would
// take far more than all pairs, joins would find little, and after another division tiers would exceed the
// budget.
func (o outlook) lost(s *job.State, g *job.Goal) bool {
	all := s.AllPairs(s.Rows)
	if s.Count(job.DivisionStage) == 1 && s.LastWork().Kind == job.DivisionStage {
		return o.lostEarly(g.SteadyDivisions(s)/all, g.Spent(s)/all)
	}
	alone, cycle := g.DivisionsAlone(s)
	spent, cycle := g.Spent(s)/all, cycle/all
	if alone/all <= aloneBudget-spent || spent+cycle+1 <= tieredBudget {
		return false
	}
	take := o.take()
	return spent+cycle+take > tieredBudget && spent+take <= lostBudget && o.joined() < joinsPay
}

// lostEarly is lost after the first division. steady is the least share of all pairs that divisions alone
// take: the share if all rows are equally hard.
func (o outlook) lostEarly(steady, spent float64) bool {
	if steady < leastSteady {
		return false
	}
	take := o.take()
	return take <= steadyWorth*steady && spent+take <= lostBudget && o.joined() < joinsPay
}

// leastSteady is the share of all pairs below which divisions are cheap, whatever tiers take. It saves the
// forecast of tiers, a seventh of the time of 60,000 rows of GIST at 0.95, for which steady is 0.13.
const leastSteady = 0.3

// steadyWorth is the expected ratio of the pairs of divisions alone to steady. Over five seeds, twins and
// triplets of bench/shapes under cosine, 0.99, took 1.17 to 1.6 times steady, up to 1.45 times all pairs;
// with tiers after the first division they take 1.13 to 1.15 times all pairs. Drawn values of 64 columns took
// 1.0 times steady: 0.8 of all pairs under euclidean, and 0.97 with tiers, which come since their forecast is
// 1.18 times steady.
const steadyWorth = 1.25

// aloneBudget is the most pairs, in multiples of all pairs, that divisions alone may be expected to take.
// 40,000 random hashes of 64 bits took 0.71 with joins for 0.95, where 0.65 were expected, and at least 1 for
// 0.99, where at least 1.15 were. 64,000 rows of clouds of 1 to 64 dimensions (dimensions of bench/shapes,
// 0.99) took 1.18 to 1.33, where 1.1 to 1.24 were expected, and 1.1 to 1.16 with tiers; the positions of the
// largest elements (largest-elements) took 1.34, where 1.12 were, and 1.14 with tiers.
const aloneBudget = 1.1

// lostBudget is the most pairs, in multiples of all pairs, for a build that turns to tiers: if they would
// exceed it, they come too late. 40,000 rows in pairs, far from all others (twins of bench/shapes, cosine,
// 0.99), had taken 0.74 when tiers were to take 0.61: with tiers they took 1.41 in all, with two more
// divisions 1.05.
const lostBudget = 1.15

// joinsPay is the least share of the missing neighbors that joins must find to pay, however little divisions
// find. It is 0.75 on 50,000 hashes of rows that have neighbors (hashes-64 of bench/shapes, jaccard, 0.99),
// which take 0.57 of all pairs with joins and are expected to take at least 1.2 by divisions alone. It is
// 0.27 to 0.30 on 30,000 rows of bits for the large elements of GIST: joins reached 0.978 for 0.99, and with
// the tiers that had to follow took 1.34 to 1.68; with tiers after the second division 1.03.
const joinsPay = 0.35

// leads reports whether the first joins come before another division although recall is below Plan.Switch:
// the last division found few of the missing neighbors, and joins are expected to find many more.
func (o outlook) leads(s *job.State) bool {
	i := len(s.Stages) - 1
	if i < 1 || s.Stages[i].Kind != job.DivisionStage {
		return false
	}
	before := s.Stages[i-1].Recall
	share := (s.Stages[i].Recall - before) / max(1-before, 1e-9)
	return share < littleFound && o.joined() > joinsLead*share
}

// littleFound is the share of the missing neighbors below which a division found little. joinsLead is the
// ratio of the expected finds of joins to those of the division from which joins come first. 44 divisions by
// keys of 40,000 molecules' bits reached 0.941 for 0.99, the last 30 by 0.002 each, and took 1.4 times all
// pairs; joins then reached 0.993 for a hundredth of that. Divisions of descriptors find at least 0.3.
const littleFound, joinsLead = 0.15, 3

// joinable returns the share of the steering rows' missing neighbors that a first round of joins is expected
// to find: through a row that both list, or that one of them lists and that lists the other. A row in more
// than most lists does not count, because a join takes few of these lists.
func joinable(l *tiers.Lists, most int, truth *tiers.Truth) float64 {
	by := make([]uint16, l.N) // saturates at the largest uint16
	for place := range uint32(l.N) {
		for _, other := range l.Near(place) {
			by[other] = max(by[other], by[other]+1)
		}
	}
	some := func(from []uint32, meets func(via uint32) bool) bool {
		return slices.ContainsFunc(from, func(via uint32) bool { return int(by[via]) <= most && meets(via) })
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
