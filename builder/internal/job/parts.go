package job

import (
	"fmt"

	"github.com/knng/knng/builder/internal/fixed"
)

// PlainParts is how many divisions the parts method makes if neither recall nor an option decides.
const PlainParts = 2

// WideRows is the number of rows from which a division of the parts method has twice as many leaves of a row.
// Recall takes four divisions of so many rows anyway; two with twice the leaves find as much, and find leaders
// and unite lists half as often. With 20,000,000 rows of 128 bytes, both have 0.985 of the neighbors in a common
// leaf; bench/results/larger has the times.
var WideRows = 1 << 24 // a variable for tests

// VastRows is the number of rows from which a division has ten leaves of a row: two of these find as much as two
// of eight leaves and a third of four, with one pass for leaders and one fold less. With 100,000,000 rows of 128
// bytes, three divisions of eight leaves found 0.981, and two of ten find 0.965; two of eight would find 0.947.
var VastRows = 1 << 26 // a variable for tests

// wideRecall is the target recall from which divisions have so many leaves.
const wideRecall = 0.9

// PartsOverlap returns how many leaves a row is in within one division of the parts method, for so many rows. It
// does not depend on the recall that divisions reach.
func (g *Goal) PartsOverlap(rows int) int {
	if rows < WideRows || g.Recall > 0 && g.Recall < wideRecall {
		return Overlap
	}
	if rows < VastRows {
		return 2 * Overlap
	}
	return vastOverlap
}

const vastOverlap = 10

// PartsLeaves returns the leaves of a row in the next division: PartsOverlap, but at most the rest of Divisions if
// that is set, and only a half or three quarters if these are expected to reach the target. Without that,
// 100,000,000 rows of 128 bytes found 0.98 in three divisions of eight, where two and a half would find 0.96; and
// 10,000,000 rows of 50 floats found 0.975 in three divisions of four, for a target of 0.95.
func (g *Goal) PartsLeaves(s *State) int {
	leaves, done := g.PartsOverlap(s.Rows), g.BallsDone(s)
	if g.Divisions > 0 {
		leaves = min(leaves, g.Divisions-done)
	}
	if !s.Fits || done == 0 || !g.Steered(s) {
		return leaves
	}
	fewer, power := []int{leaves / 2, leaves * 3 / 4}, s.leavesPower()
	if !s.Foretells {
		fewer, power = []int{Overlap}, fixed.DivisionPower
	}
	for _, fewer := range fewer {
		if fewer >= leastParts && fewer < leaves && fixed.AfterLeaves(s.Last().Recall, done, fewer, power) >= g.Aim(s) {
			return fewer
		}
	}
	return leaves
}

// leastParts is the least number of leaves in a shortened division: it reads all rows and unites all lists, like
// one with more leaves.
const leastParts = 2

// leavesPower returns the power of the leaves with which the logarithm of the missing share has grown so far: at
// least that of fixed.AfterDivision, which it also is after a single division.
func (s *State) leavesPower() float64 {
	f := s.found()
	if f.divisions <= 1 {
		return fixed.DivisionPower
	}
	return max(fixed.DivisionPower, f.power())
}

// NoteLeaves records PartsLeaves in the stage of the next division, if it differs from OverlapOf.
func (g *Goal) NoteLeaves(s *State, st *Stage) {
	if leaves := g.PartsLeaves(s); leaves != g.OverlapOf(st.Number) {
		st.Leaves = leaves
	}
}

// NextParts returns the next stage of the parts method. Counts and the recall of the steering rows decide.
func (g *Goal) NextParts(s *State) (kind, stop string) {
	if stop := g.Enough(s); stop != "" {
		return "", stop
	}
	kind, stop = g.moreParts(s)
	return g.OrTurn(s, kind, stop)
}

// moreParts returns the next stage while recall does not suffice.
func (g *Goal) moreParts(s *State) (kind, stop string) {
	done, most := g.BallsDone(s), g.MostDivisions(s)
	switch {
	case g.Divisions > 0:
		most = g.Divisions
	case g.Recall == 0:
		most = PlainParts * Overlap
	}
	switch {
	case done < most:
		return DivisionStage, ""
	case g.Steered(s):
		return "", fmt.Sprintf("nothing more to do within %d leaves a row: recall %.3f on %d steering rows, target %.3f",
			done, s.Last().Recall, s.Steer, g.Recall)
	}
	return "", fmt.Sprintf("each row in %d leaves", done)
}
