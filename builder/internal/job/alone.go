package job

import "math"

// DivisionsAlone is how many pairs a row the build still takes if it reaches its target by divisions, without
// joins, counted in pairs of the exact method. How fast divisions find less follows from those so far: b leaves of a row leave
// the share exp(-c b^p) of the neighbors, where p is 1 if all rows are equally hard. cycle is the pairs of one division. Both are 0
// before the second division, and after joins or keys.
//
// A p of 0.7, which builds of usual data have, said 1.37 of all pairs for 60,000 rows with hubs under cosine, which take 0.73
// and tell 0.98; and 1.25 for 30,000 rows of GIST under chebyshev, which tell 0.55 and took 1.6.
func (g *Goal) DivisionsAlone(s *State) (sum, cycle float64) {
	f := s.found()
	if f.divisions < 2 {
		return 0, 0
	}
	cycle = g.divisionCost(s)
	missing, allowed := 1-s.Last().Recall, 1-g.Aim(s)
	switch {
	case missing <= allowed:
		return 0, cycle
	case allowed <= 0 || f.left >= 1-leastLeft || f.first >= 1-leastLeft:
		return math.Inf(1), cycle
	case f.first <= 0 || f.left <= 0:
		return cycle, cycle
	}
	done, divisions := math.Log(f.first*f.left), float64(f.divisions)
	power := min(1, max(leastPower, math.Log(done/math.Log(f.first))/math.Log(divisions)))
	more := divisions * (math.Pow(1+math.Log(allowed/missing)/done, 1/power) - 1)
	return cycle * math.Ceil(more), cycle
}

// leastPower bounds the law where divisions after the first found next to nothing.
const leastPower = 0.2

// SteadyDivisions is the same sum if each division leaves the share of the missing neighbors that those so far left
// on average, as where all rows are equally hard: hardly any data take fewer. It is known from the first
// division on.
func (g *Goal) SteadyDivisions(s *State) float64 {
	f := s.found()
	if f.divisions == 0 {
		return 0
	}
	left := math.Pow(f.first*f.left, 1/float64(f.divisions))
	missing, allowed := 1-s.Last().Recall, 1-g.Aim(s)
	switch {
	case missing <= allowed:
		return 0
	case allowed <= 0 || left >= 1-leastLeft:
		return math.Inf(1)
	case left <= 0:
		return g.divisionCost(s)
	}
	return g.divisionCost(s) * math.Log(allowed/missing) / math.Log(left)
}

// divisionCost is the pairs a row of another division, counted in pairs of the exact method.
func (g *Goal) divisionCost(s *State) float64 {
	if s.ByKeys() {
		return s.DivisionPairs() * g.keyCost()
	}
	return s.DivisionPairs()
}

// finds are the divisions so far: the share of all neighbors that the first one left, and that of the missing
// ones that the others left.
type finds struct {
	divisions   int
	first, left float64
}

// found tells how much divisions found; there are none after joins or keys.
func (s *State) found() finds {
	f := finds{first: 1, left: 1}
	for i, st := range s.Stages {
		switch {
		case st.Kind == PropagationStage || st.Kind == KeysStage:
			return finds{}
		case st.Kind != DivisionStage:
		case f.divisions == 0:
			f.divisions, f.first = 1, 1-s.recallAt(i)
		default:
			f.divisions++
			f.left *= (1 - s.recallAt(i)) / (1 - s.recallAt(i-1))
		}
	}
	return f
}
