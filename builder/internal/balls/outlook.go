package balls

import (
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/tiers"
)

// Rows of many dimensions, such as random hashes, have neighbors that neither divisions nor joins find
// with fewer pairs than all pairs take. The stages so far tell: before more is spent than a build may
// lose, tiers come first.

// outlook is how a build may go on. take and joined take a moment to find.
type outlook struct {
	take   func() float64 // the share of all pairs that tiers are expected to take
	joined func() float64 // joinable, before the first joins
}

// declines reports whether tiers come before another division after the first joins: where each division
// finds less than the one before it. Tiers come where they are expected to take fewer pairs. Where the
// division would be beyond the budget, they come as well if divisions would be dearer at twice the pairs
// that are expected: but not when tiers themselves come too late, since then the divisions may still be
// done within the budget and tiers are not.
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

// tieredBudget is how many times all pairs a build may take that can have tiers compared: it turns to
// them before all of it would be more, unless it is likely to be done soon.
const tieredBudget = 1.1

// lost reports whether tiers come before another division, or the first joins: divisions alone would take
// far more than all pairs, joins would find little, and after another division tiers would be beyond the
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

// lostEarly is the same after the first division. steady is the least share of all pairs that divisions alone take:
// that of rows which are all as hard.
func (o outlook) lostEarly(steady, spent float64) bool {
	if steady < leastSteady {
		return false
	}
	take := o.take()
	return take <= steadyWorth*steady && spent+take <= lostBudget && o.joined() < joinsPay
}

// leastSteady is the share of all pairs below which divisions are not dear, whatever tiers take: to see that takes a moment,
// a seventh of the time of 60,000 rows of GIST at 0.95, of which divisions take 0.13 at least.
const leastSteady = 0.3

// steadyWorth is the factor by which divisions alone are expected to take more than the least. Twins and triplets of
// bench/shapes under cosine, 0.99, took 1.17 to 1.6 times as much over five seeds, up to 1.45 times all pairs; with tiers
// after the first division they take 1.13 to 1.15 times these. Drawn values of 64 columns took 1.0 times as much: 0.8 of
// all pairs under euclidean, 0.97 with tiers, which their 1.18 is near enough to.
const steadyWorth = 1.25

// aloneBudget is how many times all pairs a build may be expected to take by divisions alone. 40,000 random
// hashes of 64 bits take 0.71 with joins for 0.95, where 0.65 are expected, and no fewer than all pairs for
// 0.99, where 1.15 and more are. 64,000 rows of clouds of 1 to 64 dimensions (dimensions of bench/shapes, 0.99) took 1.18 to
// 1.33 where 1.1 to 1.24 were, and 1.1 to 1.16 with tiers then; the places of the largest elements (largest-elements) 1.34
// where 1.12 were, and 1.14.
const aloneBudget = 1.1

// lostBudget is how many times all pairs a build that goes over to tiers may take: if they would take more,
// they come too late. 40,000 rows in pairs, far from all others (twins of bench/shapes, cosine, 0.99), had
// taken 0.74 when tiers were to take 0.61: with tiers they took 1.41 in all, with two more divisions 1.05.
const lostBudget = 1.15

// joinsPay is the share of the missing neighbors that joins find from which on they pay, however little
// divisions do: of 50,000 hashes of rows that have neighbors (hashes-64 of bench/shapes, jaccard, 0.99)
// it is 0.75, and they take 0.57 of all pairs where divisions alone are expected to take 1.2 and more. Of 30,000
// rows that say which of GIST's elements are large it is 0.27 to 0.30: joins led to 0.978 for 0.99, and with the tiers that
// had to follow they took 1.34 to 1.68; with tiers after the second division 1.03.
const joinsPay = 0.35

// leads reports whether the first joins come before another division, below the recall at which they would:
// where the last division found few of the missing neighbors, and joins are expected to find many more.
func (o outlook) leads(s *job.State) bool {
	i := len(s.Stages) - 1
	if i < 1 || s.Stages[i].Kind != job.DivisionStage {
		return false
	}
	before := s.Stages[i-1].Recall
	share := (s.Stages[i].Recall - before) / max(1-before, 1e-9)
	return share < littleFound && o.joined() > joinsLead*share
}

// littleFound is the share of the missing neighbors below which a division found little, and joinsLead how many
// times that joins are expected to find for them to come first. 44 divisions by keys of 40,000 molecules' bits led
// to 0.941 for 0.99, the last 30 of them by 0.002 each, and took 1.4 times all pairs; then joins led to 0.993 for a hundredth
// of them. Divisions of descriptors find 0.3 and more.
const littleFound, joinsLead = 0.15, 3

// joinable is the share of the missing neighbors of rows that steer that a first round of joins is expected
// to find: by a row that both list, or that one of them lists and that lists the other. Rows that are listed
// by more than a join takes do not count: it takes few of these.
func joinable(l *tiers.Lists, most int, truth *tiers.Truth) float64 {
	by := make([]uint16, l.N) // no more than so many count
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
