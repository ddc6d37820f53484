package balls

import (
	"cmp"
	"math"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/hashrand"
	"github.com/knng/knng/builder/internal/job"
)

// If lists of all rows are known, nearly all pairs of a division are farther apart than the ends of their
// lists. Such a division costs little beside the first division of a build, and finds the same share of the
// missing neighbors as any other. A join goes over all rows again, even if few of their neighbors are new. On
// 50,000 SIFT descriptors, raised from 0.96 to 0.99, a division took 0.19 s of processor time and found 0.5
// of the missing neighbors; a round of joins, with 270 pairs a row, took about 0.5 s and found 0.4.

// whole reports whether the known lists are of all rows rather than of parts.
func (o *Options) whole() bool { return o.Known != nil && len(o.Ends) == 1 }

// divisionSeed returns the seed of divisions. If lists of all rows are known, it differs from the seed that
// made them: the same divisions would find nothing new.
func (m *Method) divisionSeed() uint64 {
	if m.opts.whole() {
		return hashrand.Mix(m.Set.Seed ^ m.opts.Before)
	}
	return m.Set.Seed
}

// leastFound is the share of the missing neighbors that a division must find for another to follow at once.
// Two and a half divisions take as long as a round of joins, which finds about 0.4.
const leastFound = 0.2

// dividesKnown reports whether another division comes before joins, for known lists of all rows.
func (d decision) dividesKnown() bool {
	last := d.s.LastWork()
	gained, known := d.s.Gained()
	least := leastFound * float64(cmp.Or(last.Leaves, job.Overlap)) / job.Overlap
	return d.opts.whole() && last.Kind == job.DivisionStage && known && gained >= least*(1-last.Recall+gained)
}

// leavesOf returns how many leaves a row is in within the next division. They are no more than are expected
// to suffice, if that can be forecast: from known lists of all rows, or from joins after the last division.
// If the options limit divisions, all are whole, and the last one has the rest of the leaves.
func (m *Method) leavesOf(number int) int {
	usual, s, g := m.Goal.OverlapOf(number), &m.State, &m.Goal
	switch {
	case g.Capped() || !g.Steered(s):
		return usual
	case m.opts.whole():
		return m.leavesWhole(usual)
	case number == 1:
		return m.leavesAtFirst(usual)
	}
	left, dear := g.LeavesLeft(s), s.DivisionPairs() > dearShare*s.AllPairs(s.Rows)
	if left <= half || dear && left <= 2*job.Overlap {
		return half
	}
	return usual
}

// leavesAtFirst returns the largest number for the first division; its stretches show how many suffice.
func (m *Method) leavesAtFirst(usual int) int {
	expected := m.State.Expected
	switch {
	case expected == nil || m.Keyed:
		return usual
	case m.opts.Known == nil && !m.Set.Reference:
		return fixed.MostLeaves(int64(m.N()), m.parts.leafSize(), usual, m.parts.fewer())
	case m.opts.Known != nil:
		// If few neighbors are missing across parts, few are missing at all, and to find those takes all
		// pairs of a leaf. Of the neighbors across parts none is known, so the merge needs as many leaves as
		// any build: a twentieth of SIFT 1M merged with the rest took 4.9 s of processor time with 14 leaves,
		// 5.8 s with 6 and joins.
		if across, err := m.parts.across(); err != nil || !across { // the division returns the error
			return usual
		}
	}
	return fixed.FirstLeaves(int64(m.N()), m.parts.leafSize(), usual, expected.Divisions, m.parts.fewer())
}

// leavesAfterStretches returns the number of leaves for a long first division, once its stretches have been
// compared: no more than are expected to reach the recall at which joins begin.
func (m *Method) leavesAfterStretches(most int) (int, error) {
	per, err := m.Recalls(m.Steer)
	if err != nil {
		return 0, err
	}
	found, margin := build.MeanOf(per)
	return fixed.LeavesAfterStretches(found, min(m.State.Plan.Switch, m.Goal.Wanted(margin)), job.Overlap, most), nil
}

// half is the number of leaves in half a division. A quarter would not pay: rows find their leaders anew in
// each division.
const half = job.Overlap / 2

// dearShare is the share of all pairs from which on a division is expensive. The last two divisions are then
// halves, and the second may not be needed. A division of 30,000 rows in fours takes 0.11 of all pairs; with
// a whole one at the end they took 1.21 for 0.99, with halves 1.15. A division of 60,000 rows of GIST takes
// 0.058; halves saved 0.03 of all pairs and no time.
const dearShare = 0.08

// leavesWhole is leavesOf for known lists of all rows.
func (m *Method) leavesWhole(usual int) int {
	last := m.State.LastWork()
	gained, known := m.State.Gained()
	if !known || last.Kind != job.DivisionStage || last.Leaves > 0 || gained <= 0 {
		return usual
	}
	found := gained / (1 - last.Recall + gained)
	missing := (m.Goal.Wanted(last.Margin) - last.Recall) / (1 - last.Recall)
	return min(usual, max(1, int(math.Ceil(float64(usual)*missing/found))))
}
