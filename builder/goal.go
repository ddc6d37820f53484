package builder

import "fmt"

// goal is when a build has done enough.
type goal struct {
	Recall    float64 // target; 0: none
	Divisions int     // so many, or at most so many with Recall; 0: as many as it takes
	Rounds    int     // of propagation, likewise
	Propagate bool
}

// overlap is how many balls a row stands in within one division. Fewer would
// assign rows to leaders more often, more would stop less exactly.
const overlap = 4

// enough says why a build stops whose recall suffices; "" while it does not.
func (g *goal) enough(s *state) string {
	last := s.last()
	if len(s.Stages) == 0 || !g.reached(s, last.Recall, last.Margin) {
		return ""
	}
	return fmt.Sprintf("recall %.3f on %d steering rows reached the target %.3f", last.Recall, s.Steer, g.Recall)
}

// steered reports whether recall on the steering rows decides when to stop.
func (g *goal) steered(s *state) bool { return g.Recall > 0 && s.Steer > 0 }

// reached reports whether recall on the steering rows suffices to stop.
func (g *goal) reached(s *state, recall, margin float64) bool {
	return g.steered(s) && recall >= g.wanted(margin)
}

// wanted is the recall to stop at. With a margin, the standard error of what is measured,
// two of them are asked on top, so that the target is reached, and at most what is halfway
// between missing it and passing it by 0.02.
func (g *goal) wanted(margin float64) float64 {
	return min(g.Recall+min(2*margin, halfway), 1)
}

const halfway = 0.01

// ballsDone is how many balls each row has stood in.
func (g *goal) ballsDone(s *state) (sum int) {
	for number := range s.count(divisionStage) {
		sum += g.overlapOf(number + 1)
	}
	return sum
}

// overlapOf is the overlap of a division of the balls method: what remains of
// the number asked for, where one is.
func (g *goal) overlapOf(number int) int {
	if g.Divisions > 0 {
		return min(overlap, g.Divisions-(number-1)*overlap)
	}
	return overlap
}
