package balls

import (
	"cmp"
	"math"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/hashrand"
	"github.com/knng/knng/builder/internal/job"
)

// Where lists are known of all rows, nearly all pairs that a division compares are further away than
// the ends of their lists: it costs little beside the first division of a build, and finds the same
// share of the neighbors that are missing as any other. A join goes over all rows again, however
// few of their neighbors are new: of 50,000 SIFT descriptors, raised from 0.96 to 0.99, a division took
// 0.19 s of the processor and found 0.5 of those that were missing, a round of joins, of 270 pairs a
// row, some 0.5 s, and found 0.4.

// whole reports whether the known lists are of all rows, and not of parts.
func (o *Options) whole() bool { return o.Known != nil && len(o.Ends) == 1 }

// divisionSeed is the seed of divisions. Where lists are known of all rows these are others than
// those that made the lists, which would find nothing again.
func (m *Method) divisionSeed() uint64 {
	if m.opts.whole() {
		return hashrand.Mix(m.Set.Seed ^ m.opts.Before)
	}
	return m.Set.Seed
}

// leastFound is the share of the missing neighbors that a division must find for another to follow
// at once. Two divisions and a half take as long as a round of joins, which finds some 0.4.
const leastFound = 0.2

// dividesKnown reports whether known lists of all rows have one more division before joins.
func (d decision) dividesKnown() bool {
	last := d.s.LastWork()
	gained, known := d.s.Gained()
	least := leastFound * float64(cmp.Or(last.Leaves, job.Overlap)) / job.Overlap
	return d.opts.whole() && last.Kind == job.DivisionStage && known && gained >= least*(1-last.Recall+gained)
}

// leavesOf is how many leaves a row stands in within the next division: no more than are expected to
// suffice, where known lists of all rows, or joins after the division before, tell how much this one will find.
// Where the options limit divisions all of them are whole: the last one has the rest of the leaves.
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

// leavesAtFirst is the same of the first division, at most: stretches of the order tell how many suffice.
func (m *Method) leavesAtFirst(usual int) int {
	expected := m.State.Expected
	switch {
	case expected == nil || m.Keyed:
		return usual
	case m.opts.Known == nil && !m.Set.Reference:
		return fixed.MostLeaves(int64(m.N()), m.parts.leafSize(), usual, m.parts.fewer())
	case m.opts.Known != nil:
		// Where few neighbors are missing across parts the others are few too: to find these takes all pairs of a leaf. Of
		// those across parts none is known, so that they take as many leaves as in any build: a twentieth of SIFT 1M
		// merged with the rest took 4.9 s of the processor with 14 leaves, 5.8 with 6 and joins.
		if across, err := m.parts.across(); err != nil || !across { // the division meets the error
			return usual
		}
	}
	return fixed.FirstLeaves(int64(m.N()), m.parts.leafSize(), usual, expected.Divisions, m.parts.fewer())
}

// leavesAfterStretches is in how many leaves rows stand within a long first division, once their stretches have been compared:
// no more than are expected to find as much as joins begin with.
func (m *Method) leavesAfterStretches(most int) (int, error) {
	per, err := m.Recalls(m.Steer)
	if err != nil {
		return 0, err
	}
	found, margin := build.MeanOf(per)
	return fixed.LeavesAfterStretches(found, min(m.State.Plan.Switch, m.Goal.Wanted(margin)), job.Overlap, most), nil
}

// half is in how many leaves a row stands within half a division: rows find their leaders anew for each, so that a
// quarter would take more time for what it finds.
const half = job.Overlap / 2

// dearShare is the share of all pairs from which on a division is dear: the last two divisions are halves then, of which
// the last one may not be needed. A division of 30,000 rows in fours takes 0.11 of all pairs: with a whole one at the end
// they took 1.21 of these for 0.99, with halves 1.15. One of 60,000 rows of GIST takes 0.058: with two halves for each whole
// one it saved 0.03 of all pairs and no time.
const dearShare = 0.08

// leavesWhole is the same with known lists of all rows.
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
