package job

import (
	"cmp"
	"fmt"
)

// Goal decides when a build has done enough.
type Goal struct {
	Recall    float64 // target; 0: none
	Divisions int     // so many, or at most so many with Recall; 0: as many as it takes
	Rounds    int     // of propagation, likewise
	Propagate bool    // the method joins or propagates, and may
	Screened  bool    // the exact method needs the keys of few pairs
}

// MaxDivisions bounds a build that never reaches its target.
const MaxDivisions = 64

// Overlap is how many balls a row stands in within one division. Fewer would
// assign rows to leaders more often, more would stop less exactly.
const Overlap = 4

// Enough says why a build stops whose recall suffices; "" while it does not.
func (g *Goal) Enough(s *State) string {
	last := s.Last()
	if len(s.Stages) == 0 || !g.Reached(s, last.Recall, last.Margin) {
		return ""
	}
	return fmt.Sprintf("recall %.3f on %d steering rows reached the target %.3f", last.Recall, s.Steer, g.Recall)
}

// Steered reports whether recall on the steering rows decides when to stop.
func (g *Goal) Steered(s *State) bool { return g.Recall > 0 && s.Steer > 0 }

// Reached reports whether recall on the steering rows suffices to stop. That all neighbors are found of these rows
// does not show that they are of all.
func (g *Goal) Reached(s *State, recall, margin float64) bool {
	return g.Steered(s) && g.Recall < 1 && recall >= g.Wanted(margin)
}

// Wanted is the recall to stop at: the target and two standard errors of the measured
// recall (margin), so that the target is reached, but no more than 0.01 above the target.
func (g *Goal) Wanted(margin float64) float64 {
	return min(g.Recall+min(2*margin, halfway), 1)
}

const halfway = 0.01

// BallsDone is how many balls each row has stood in.
func (g *Goal) BallsDone(s *State) (sum int) {
	number := 0
	for _, st := range s.Stages {
		if st.Kind == DivisionStage {
			number++
			sum += cmp.Or(st.Leaves, g.OverlapOf(number))
		}
	}
	return sum
}

// OverlapOf is the overlap of a division of the balls method: the rest of Divisions, where
// that is set and smaller.
func (g *Goal) OverlapOf(number int) int { return g.Rest(Overlap, number) }

// Rest is overlap, or in the last of so many Divisions the rest of these.
func (g *Goal) Rest(overlap, number int) int {
	if g.Divisions > 0 {
		return min(overlap, g.Divisions-(number-1)*overlap)
	}
	return overlap
}
