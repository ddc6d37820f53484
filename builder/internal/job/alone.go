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
	cycle = s.DivisionPairs() * g.PairCost(s)
	return cycle * math.Ceil(f.more(g.allowed(s), f.power())), cycle
}

// SteadyDivisions is the same sum, not rounded, if p is 1: hardly any data take fewer. It is known from the first
// division on.
func (g *Goal) SteadyDivisions(s *State) float64 {
	f := s.found()
	if f.divisions == 0 {
		return 0
	}
	return s.DivisionPairs() * g.PairCost(s) * f.more(g.allowed(s), 1)
}

// allowed is the share of the missing neighbors that may go on missing; 1 where all may.
func (g *Goal) allowed(s *State) float64 {
	missing, allowed := 1-s.Last().Recall, 1-g.Aim(s)
	if missing <= allowed {
		return 1
	}
	return allowed / missing
}

// finds are the divisions so far, in the leaves of the first one: the share of all neighbors that this one left, and
// that of the missing ones that the others left.
type finds struct {
	divisions   float64
	first, left float64
}

// found tells how much divisions found; there are none after joins or keys.
func (s *State) found() finds {
	f, leaves := finds{first: 1, left: 1}, 0.0
	for i, st := range s.Stages {
		switch {
		case st.Kind == PropagationStage || st.Kind == KeysStage:
			return finds{}
		case st.Kind != DivisionStage:
		case f.divisions == 0:
			f.divisions, f.first, leaves = 1, 1-s.recallAt(i), st.leaves()
		default:
			f.divisions += st.leaves() / leaves
			f.left *= (1 - s.recallAt(i)) / (1 - s.recallAt(i-1))
		}
	}
	return f
}

// more is how many more divisions leave a share of the missing neighbors.
func (f finds) more(share, power float64) float64 {
	done := math.Log(f.first * f.left)
	switch {
	case share >= 1:
		return 0
	case share <= 0, power <= 0, done >= -leastLeft:
		return math.Inf(1)
	}
	return f.divisions * (math.Pow(1+math.Log(share)/done, 1/power) - 1)
}

// power is the p of the law: 0 where the first division, or those after it, found nothing.
func (f finds) power() float64 {
	switch {
	case f.first >= 1-leastLeft || f.left >= 1-leastLeft:
		return 0
	case f.first <= 0:
		return 1
	}
	p := math.Log(math.Log(f.first*f.left)/math.Log(f.first)) / math.Log(f.divisions)
	return min(1, max(leastPower, p))
}

// leastPower bounds the law where divisions after the first found next to nothing.
const leastPower = 0.2
