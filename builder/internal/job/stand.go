package job

import (
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/plan"
)

// Stand returns how far a build has come, for a forecast: after the finished stages, and with the results of
// the current one (nil between stages). A round has the given number of parts.
func (g *Goal) Stand(s *State, under *Stage, parts int) plan.Stand {
	if under != nil {
		after := s.WithStage(*under)
		s = &after
	}
	last := s.Last()
	stand := plan.Stand{Leaves: g.BallsDone(s), Recall: last.Recall, Wanted: g.Wanted(last.Margin)}
	before := 0.0
	for _, st := range s.Stages {
		switch st.Kind {
		case DivisionStage:
			if stand.First == 0 {
				stand.First = fixed.AfterDivision(st.Recall, int(st.leaves()), Overlap-int(st.leaves()))
			}
		case PropagationStage:
			stand.Rounds += float64(st.Parts) / float64(parts)
			stand.Before = before
		}
		before = st.Recall
	}
	if under != nil && under.Kind == PropagationStage && under.Parts < parts {
		stand.Open = float64(under.Parts) / float64(parts)
	}
	return stand
}
