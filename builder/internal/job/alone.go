package job

import (
	"math"

	"github.com/knng/knng/builder/internal/fixed"
)

// DivisionsAlone is how many pairs a row the build still takes if it reaches its target by divisions, without
// joins, counted in pairs of the exact method. How much a division finds follows from the divisions after the first, by the
// law of AfterDivision. cycle is the pairs of one division. Both are 0 before the second division, and after joins or keys.
func (g *Goal) DivisionsAlone(s *State) (sum, cycle float64) {
	divisions, left := 0, 1.0
	for i, st := range s.Stages {
		switch {
		case st.Kind == PropagationStage || st.Kind == KeysStage:
			return 0, 0
		case st.Kind == DivisionStage:
			if divisions++; divisions > 1 {
				left *= (1 - s.recallAt(i)) / (1 - s.recallAt(i-1))
			}
		}
	}
	if divisions < 2 {
		return 0, 0
	}
	cycle = s.divisionPairs()
	if s.ByKeys() {
		cycle *= g.keyCost()
	}
	missing, allowed := 1-s.Last().Recall, 1-g.Aim(s)
	switch {
	case missing <= allowed:
		return 0, cycle
	case allowed <= 0 || left >= 1-leastLeft:
		return math.Inf(1), cycle
	}
	more := fixed.MoreBalls(divisions*Overlap, (divisions-1)*Overlap, left, allowed/missing)
	return cycle * math.Ceil(more/Overlap), cycle
}
