package builder

import "fmt"

// next has divisions until the effective rate falls
// under the trigger, then propagation. Where a target recall is not reached by then,
// whichever of the two gained more recall per requested pair when it was last
// done goes next.
func (m *paperMethod) next() (kind, stop string) {
	s, g := &m.state, &m.goal
	if stop := g.enough(s); stop != "" {
		return "", stop
	}
	divisions, rounds := s.count(divisionStage), s.count(propagationStage)
	switch {
	case rounds == 0 && !m.divided(divisions):
		return divisionStage, ""
	case g.Propagate && rounds < max(g.Rounds, 1):
		return propagationStage, ""
	case !g.steered(s):
		return "", m.plainStop(divisions, rounds)
	}
	kind, stop = m.more(divisions, rounds)
	if !m.opts.InPlace && g.paperTurns(s, stop != "", m.own == nil) {
		return listsStage, ""
	}
	return kind, stop
}

// divided reports whether the first run of divisions is over.
func (m *paperMethod) divided(divisions int) bool {
	if m.goal.Divisions > 0 {
		return divisions >= m.goal.Divisions
	}
	return divisions >= MaxDivisions || divisions > 0 && m.state.last().Rate < m.opts.Trigger
}

func (m *paperMethod) plainStop(divisions, rounds int) string {
	why := fmt.Sprintf("effective rate under %v", m.opts.Trigger)
	if m.goal.Divisions > 0 {
		why = "as asked"
	} else if divisions >= MaxDivisions {
		why = "the most allowed"
	}
	return fmt.Sprintf("%d divisions (%s) and %d propagation rounds done", divisions, why, rounds)
}

// more continues past the paper's plan because the target is not reached.
func (m *paperMethod) more(divisions, rounds int) (kind, stop string) {
	s, g := &m.state, &m.goal
	mayDivide := g.Divisions == 0 && divisions < MaxDivisions
	mayPropagate := g.Propagate && g.Rounds == 0 && rounds < MaxDivisions
	if mayDivide && mayPropagate {
		mayDivide = m.gain(divisionStage) >= m.gain(propagationStage)
	}
	switch {
	case mayDivide:
		return divisionStage, ""
	case mayPropagate && (rounds == 0 || m.gain(propagationStage) > 0):
		return propagationStage, ""
	}
	return "", fmt.Sprintf("nothing more to do within %d divisions and %d rounds: recall %.3f on %d steering rows, target %.3f",
		divisions, rounds, s.last().Recall, s.Steer, g.Recall)
}

// gain is the recall that the latest stage of a kind added per requested pair.
func (m *paperMethod) gain(kind string) float64 {
	s := &m.state
	for i := len(s.Stages) - 1; i > 0; i-- {
		if st := s.Stages[i]; st.Kind == kind {
			return (st.Recall - s.Stages[i-1].Recall) / float64(max(st.Requested, 1))
		}
	}
	return 0
}
