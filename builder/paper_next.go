package builder

import "fmt"

// nextPaper decides for the paper's method: divisions until the effective rate falls
// under the trigger, then propagation. Where a target recall is not reached by then,
// whichever of the two gained more recall per requested pair when it was last
// done goes next.
func (s *state) nextPaper(o *Options) (kind, stop string) {
	if stop := s.enough(o); stop != "" {
		return "", stop
	}
	divisions, rounds := s.count(divisionStage), s.count(propagationStage)
	switch {
	case rounds == 0 && !s.divided(o, divisions, s.last()):
		return divisionStage, ""
	case o.Propagation == On && rounds < max(o.Rounds, 1):
		return propagationStage, ""
	case !s.steered(o):
		return "", s.plainStop(o, divisions, rounds)
	}
	return s.more(o, divisions, rounds)
}

// divided reports whether the first run of divisions is over.
func (s *state) divided(o *Options, divisions int, last stage) bool {
	if o.Divisions > 0 {
		return divisions >= o.Divisions
	}
	return divisions >= MaxDivisions || divisions > 0 && last.Rate < o.Trigger
}

func (s *state) plainStop(o *Options, divisions, rounds int) string {
	why := fmt.Sprintf("effective rate under %v", o.Trigger)
	if o.Divisions > 0 {
		why = "as asked"
	} else if divisions >= MaxDivisions {
		why = "the most allowed"
	}
	return fmt.Sprintf("%d divisions (%s) and %d propagation rounds done", divisions, why, rounds)
}

// more continues past the paper's plan because the target is not reached.
func (s *state) more(o *Options, divisions, rounds int) (kind, stop string) {
	mayDivide := o.Divisions == 0 && divisions < MaxDivisions
	mayPropagate := o.Propagation == On && o.Rounds == 0 && rounds < MaxDivisions
	if mayDivide && mayPropagate {
		mayDivide = s.gain(divisionStage) >= s.gain(propagationStage)
	}
	switch {
	case mayDivide:
		return divisionStage, ""
	case mayPropagate && (rounds == 0 || s.gain(propagationStage) > 0):
		return propagationStage, ""
	}
	return "", fmt.Sprintf("nothing more to do within %d divisions and %d rounds: recall %.3f on %d steering rows, target %.3f",
		divisions, rounds, s.last().Recall, s.Steer, o.Recall)
}

// gain is the recall that the latest stage of a kind added per requested pair.
func (s *state) gain(kind string) float64 {
	for i := len(s.Stages) - 1; i > 0; i-- {
		if st := s.Stages[i]; st.Kind == kind {
			return (st.Recall - s.Stages[i-1].Recall) / float64(max(st.Requested, 1))
		}
	}
	return 0
}
