package job

import (
	"cmp"
	"fmt"
)

// A Goal says when a build has done enough.
type Goal struct {
	Recall    float64 // target; 0: none
	Divisions int     // their number, or with Recall their maximum; 0: as many as it takes
	Rounds    int     // of propagation, likewise
	Propagate bool    // the options allow joins or propagation
	Screened  bool    // codes spare the exact method the keys of most pairs
}

// MaxDivisions bounds a build that never reaches its target.
const MaxDivisions = 64

// Overlap is how many balls a row is in within one division. Wrong if smaller: rows are assigned to leaders
// more often. Wrong if larger: builds overshoot their target more.
const Overlap = 4

// Enough returns why a build stops because its recall suffices; "" if it does not suffice.
func (g *Goal) Enough(s *State) string {
	last := s.Last()
	if len(s.Stages) == 0 || !g.Reached(s, last.Recall, last.Margin) {
		return ""
	}
	return fmt.Sprintf("recall %.3f on %d steering rows reached the target %.3f", last.Recall, s.Steer, g.Recall)
}

// Steered reports whether recall on the steering rows decides when to stop.
func (g *Goal) Steered(s *State) bool { return g.Recall > 0 && s.Steer > 0 }

// Reached reports whether recall on the steering sample suffices to stop. A sample without a missing neighbor does
// not prove that no row misses one.
func (g *Goal) Reached(s *State, recall, margin float64) bool {
	return g.Steered(s) && g.Recall < 1 && recall >= g.Wanted(margin)
}

// Wanted is the recall to stop at: the target and two standard errors of the measured
// recall (margin), so that the target is reached, but no more than 0.01 above the target.
func (g *Goal) Wanted(margin float64) float64 {
	return min(g.Recall+min(2*margin, halfway), 1)
}

const halfway = 0.01

// BallsDone returns how many balls each row has been in.
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

// OverlapOf returns the overlap of a division of the balls method: Overlap, or the rest of Divisions if that is set
// and smaller.
func (g *Goal) OverlapOf(number int) int { return g.Rest(Overlap, number) }

// Rest returns overlap, or the rest of Divisions if that is set and smaller.
func (g *Goal) Rest(overlap, number int) int {
	if g.Divisions > 0 {
		return min(overlap, g.Divisions-(number-1)*overlap)
	}
	return overlap
}
