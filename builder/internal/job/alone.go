package job

import "math"

// DivisionsAlone returns the pairs per row that the build still takes if it reaches its target by divisions,
// without joins; cycle is those of one division. Both are counted in pairs of the exact method, and are 0
// before the second division and after joins or keys. The law: b leaves of a row miss the share exp(-c b^p) of
// the neighbors, and p is 1 if all rows are equally hard. The divisions so far give c and p.
//
// A fixed p of 0.7, usual for builds, was wrong: it forecast 1.37 of all pairs for 60,000 rows with hubs under
// cosine, which take 0.73 and have p = 0.98; and 1.25 for 30,000 rows of GIST under chebyshev, which took 1.6
// and have p = 0.55.
func (g *Goal) DivisionsAlone(s *State) (sum, cycle float64) {
	f := s.found()
	if f.divisions < 2 {
		return 0, 0
	}
	cycle = s.DivisionPairs() * g.PairCost(s)
	return cycle * math.Ceil(f.more(g.allowed(s), f.power())), cycle
}

// SteadyDivisions is the same sum for p = 1, not rounded: hardly any data take fewer pairs. It is known from the
// first division on.
func (g *Goal) SteadyDivisions(s *State) float64 {
	f := s.found()
	if f.divisions == 0 {
		return 0
	}
	return s.DivisionPairs() * g.PairCost(s) * f.more(g.allowed(s), 1)
}

// allowed returns the share of the missing neighbors that may stay missing; 1 if all may.
func (g *Goal) allowed(s *State) float64 {
	missing, allowed := 1-s.Last().Recall, 1-g.Aim(s)
	if missing <= allowed {
		return 1
	}
	return allowed / missing
}

// finds sums up the divisions so far, in units of the leaves of the first: the share of all neighbors that the
// first missed, and the share of these that the others missed too.
type finds struct {
	divisions   float64
	first, left float64
}

// found returns the finds of the divisions so far; none after joins or keys.
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

// more returns how many more divisions reduce the missing neighbors to the given share of them.
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

// power returns the p of the law; 0 if the first division, or the later ones, found nothing.
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
