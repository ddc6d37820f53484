package job

import (
	"fmt"

	"github.com/knng/knng/builder/internal/fixed"
)

// PlainParts is how many divisions the parts method makes where nothing else says.
const PlainParts = 2

// WideRows is from how many rows on a division of the parts method has twice as many leaves of a row:
// where recall takes four divisions anyway, half of them find leaders and unite lists half as often, and
// find as much. Of 20,000,000 rows of 128 bytes two divisions of eight leaves have 0.985 of the neighbors
// in a common leaf, four of four as many; bench/results/larger has the times.
var WideRows = 1 << 24 // a variable for tests

// VastRows is from how many rows on it has ten leaves of a row: two such divisions find as much as two of eight and a third of four, with
// one pass for leaders and one fold less. 100,000,000 rows of 128 bytes found 0.981 in three divisions of eight, and find 0.965 in two of
// ten; in two of eight they were to find some 0.947.
var VastRows = 1 << 26 // a variable for tests

// wideRecall is the recall from which on so many leaves fall due.
const wideRecall = 0.9

// PartsOverlap is how many leaves a row of so many stands in within one division of the parts
// method. It does not depend on the recall that divisions reach.
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

// PartsLeaves is that of the next division of a build: the rest of Divisions, where that is set and smaller, and
// half of the leaves, or three quarters, where these are expected to suffice for the recall asked for. 100,000,000 rows of
// 128 bytes found 0.98 in three divisions of eight, where two and a half were to find 0.96: a sixth of all leaves.
// 10,000,000 rows of 50 floats found 0.975 in three divisions of four for 0.95.
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

// leastParts is the fewest leaves of a row in a division that fits: it reads all rows and unites all lists, as one
// of more leaves does.
const leastParts = 2

// leavesPower is the power of the leaves by which the logarithm of the missing neighbors grew so far: that of
// AfterDivision, or more, and that where one division alone tells.
func (s *State) leavesPower() float64 {
	f := s.found()
	if f.divisions <= 1 {
		return fixed.DivisionPower
	}
	return max(fixed.DivisionPower, f.power())
}

// NoteLeaves notes them in the stage of the next division, where they are not as many as OverlapOf says.
func (g *Goal) NoteLeaves(s *State, st *Stage) {
	if leaves := g.PartsLeaves(s); leaves != g.OverlapOf(st.Number) {
		st.Leaves = leaves
	}
}

// NextParts decides for the parts method, on counts and on the recall of the rows that steer
// alone.
func (g *Goal) NextParts(s *State) (kind, stop string) {
	if stop := g.Enough(s); stop != "" {
		return "", stop
	}
	kind, stop = g.moreParts(s)
	return g.OrTurn(s, kind, stop)
}

// moreParts decides where recall does not suffice.
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
