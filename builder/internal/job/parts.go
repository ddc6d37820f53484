package job

import "fmt"

// PlainParts is how many divisions the parts method makes where nothing else says.
const PlainParts = 2

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
