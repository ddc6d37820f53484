package job

import "github.com/knng/knng/builder/plan"

// Stand is how far a build has come whose rounds have so many parts, for a forecast.
func (g *Goal) Stand(s *State, parts int) plan.Stand {
	last := s.Last()
	stand := plan.Stand{Leaves: g.BallsDone(s), Recall: last.Recall, Wanted: g.Wanted(last.Margin)}
	before := 0.0
	for _, st := range s.Stages {
		switch st.Kind {
		case DivisionStage:
			if stand.First == 0 {
				stand.First = st.Recall
			}
		case PropagationStage:
			stand.Rounds += float64(st.Parts) / float64(parts)
			stand.Before = before
		}
		before = st.Recall
	}
	return stand
}
