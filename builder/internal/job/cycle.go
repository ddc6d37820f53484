package job

import (
	"cmp"
	"math"
	"slices"
)

// A cycle describes the latest division and the joins after it. It is empty if no division came since keys took
// over, since the results of codes do not predict those of keys.
type cycle struct {
	gained, pairs float64 // recall, and pairs a row
	leaves        float64 // in which a row stood
	joined        bool    // joins came before it: those find less and less
}

// whole returns the ratio of a whole division's leaves to those of the cycle.
func (c cycle) whole() float64 { return Overlap / c.leaves }

// left returns the share of the missing neighbors that a whole division leaves missing.
func (c cycle) left(missing float64) float64 {
	return math.Pow(missing/(missing+c.gained), c.whole())
}

// cycle returns the latest cycle. If the division was only a part of one, the steering sample is too small to
// judge it, so the division before it counts as well.
func (s *State) cycle() (c cycle) {
	i := s.divisionBefore(len(s.Stages))
	if i < 1 {
		return cycle{}
	}
	c.joined = s.joinedBefore(i)
	c.leaves = s.Stages[i].leaves()
	if before := s.divisionBefore(i); c.leaves < Overlap && before > 0 && s.joinedBefore(before) {
		i = before
		c.leaves += s.Stages[i].leaves()
	}
	for _, st := range s.Stages[i:] {
		c.pairs += float64(st.Requested) / float64(s.Rows)
	}
	c.gained = s.Last().Recall - s.recallAt(i-1)
	return c
}

// divisionBefore returns the number of the latest division before a stage, since keys took over; -1 if none.
func (s *State) divisionBefore(stage int) int {
	for i := stage - 1; i >= 0 && s.Stages[i].Kind != KeysStage; i-- {
		if s.Stages[i].Kind == DivisionStage {
			return i
		}
	}
	return -1
}

// joinedBefore reports whether joins came before a stage.
func (s *State) joinedBefore(stage int) bool {
	return slices.ContainsFunc(s.Stages[:stage], func(st Stage) bool { return st.Kind == PropagationStage })
}

// leaves returns how many leaves a row was in within a division by balls.
func (st Stage) leaves() float64 { return float64(cmp.Or(st.Leaves, Overlap)) }

// Declining returns the pairs per row until the target, in pairs of the exact method, if every further division,
// with the joins after it, leaves the same share of the missing neighbors as the last one. It counts in half
// divisions. cycle is the pairs of one. Both are 0 if the last division has no joins after it.
func (g *Goal) Declining(s *State) (sum, cycle float64) {
	if s.LastWork().Kind != PropagationStage {
		return 0, 0
	}
	c := s.cycle()
	if c.pairs == 0 {
		return 0, 0
	}
	pairs := c.pairs * c.whole() * g.PairCost(s)
	missing, allowed := 1-s.Last().Recall, 1-g.Aim(s)
	if c.gained <= 0 || allowed <= 0 {
		return math.Inf(1), pairs
	}
	left := c.left(missing)
	switch {
	case missing <= allowed:
		return 0, pairs
	case left >= 1-leastLeft: // more divisions than can be counted
		return math.Inf(1), pairs
	}
	return pairs * math.Ceil(2*math.Log(allowed/missing)/math.Log(left)) / 2, pairs
}

// LeavesLeft returns how many more leaves each row needs until the target, if each leaf, with the joins after it,
// leaves the same share of the missing neighbors as the leaves of the last division. It is +Inf, for unknown, if
// the last division has no joins after it or none before it: the first joins find more than any others.
func (g *Goal) LeavesLeft(s *State) float64 {
	if s.LastWork().Kind != PropagationStage {
		return math.Inf(1)
	}
	c := s.cycle()
	if !c.joined || c.gained <= 0 {
		return math.Inf(1)
	}
	return Overlap * math.Log(g.allowed(s)) / math.Log(c.left(1-s.Last().Recall))
}

// leastLeft is the share of the missing neighbors that a division must find to be extrapolated: less may be a
// rounding error of the recall.
const leastLeft = 1e-9

// Aim returns the recall that is expected to suffice. It is at most Wanted for the standard error so far, since that
// falls as fewer neighbors are missing, and more rows steer if it is large beside the share that the target may
// miss.
func (g *Goal) Aim(s *State) float64 {
	last := s.Last()
	wanted := g.Wanted(last.Margin * math.Sqrt(min(1, (1-g.Recall)/max(1-last.Recall, 1e-9))))
	return min(wanted, max(g.Recall, (1+g.Recall)/2))
}
