package paper

import (
	"fmt"

	"github.com/knng/knng/builder/internal/job"
)

// Next divides until the effective rate falls below the trigger, then propagates. If a target recall is not
// reached by then, it repeats the one of the two that last gained more recall per requested pair.
func (m *Method) Next() (kind, stop string) {
	s, g := &m.State, &m.Goal
	if stop := g.Enough(s); stop != "" {
		return "", stop
	}
	divisions, rounds := s.Count(job.DivisionStage), s.Count(job.PropagationStage)
	switch {
	case rounds == 0 && !m.divided(divisions):
		return job.DivisionStage, ""
	case g.Propagate && rounds < max(g.Rounds, 1):
		return job.PropagationStage, ""
	case !g.Steered(s):
		return "", m.plainStop(divisions, rounds)
	}
	kind, stop = m.more(divisions, rounds)
	if !m.opts.InPlace && g.PaperTurns(s, stop != "", m.Own == nil) {
		return job.ListsStage, ""
	}
	return kind, stop
}

// divided reports whether the first run of divisions is over.
func (m *Method) divided(divisions int) bool {
	if m.Goal.Divisions > 0 {
		return divisions >= m.Goal.Divisions
	}
	return divisions >= job.MaxDivisions || divisions > 0 && m.State.LastWork().Rate < m.opts.Trigger
}

func (m *Method) plainStop(divisions, rounds int) string {
	why := fmt.Sprintf("effective rate under %v", m.opts.Trigger)
	if m.Goal.Divisions > 0 {
		why = "as asked"
	} else if divisions >= job.MaxDivisions {
		why = "the most allowed"
	}
	return fmt.Sprintf("%d divisions (%s) and %d propagation rounds done", divisions, why, rounds)
}

// more continues past the paper's plan because the target is not reached.
func (m *Method) more(divisions, rounds int) (kind, stop string) {
	s, g := &m.State, &m.Goal
	mayDivide := g.Divisions == 0 && divisions < job.MaxDivisions
	mayPropagate := g.Propagate && g.Rounds == 0 && rounds < job.MaxDivisions
	if mayDivide && mayPropagate {
		mayDivide = m.gain(job.DivisionStage) >= m.gain(job.PropagationStage)
	}
	switch {
	case mayDivide:
		return job.DivisionStage, ""
	case mayPropagate && (rounds == 0 || m.gain(job.PropagationStage) > 0):
		return job.PropagationStage, ""
	}
	return "", fmt.Sprintf("nothing more to do within %d divisions and %d rounds: recall %.3f on %d steering rows, target %.3f",
		divisions, rounds, s.Last().Recall, s.Steer, g.Recall)
}

// gain returns the recall that the latest stage of a kind added per requested pair.
func (m *Method) gain(kind string) float64 {
	s := &m.State
	for i := len(s.Stages) - 1; i > 0; i-- {
		if st := s.Stages[i]; st.Kind == kind {
			return (st.Recall - s.Stages[i-1].Recall) / float64(max(st.Requested, 1))
		}
	}
	return 0
}
