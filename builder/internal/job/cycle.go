package job

import (
	"cmp"
	"math"
	"slices"
)

// A cycle is what the latest division, with the joins after it, did. It is nothing where no division came since keys
// took over: how codes did tells nothing of them.
type cycle struct {
	gained, pairs float64 // recall, and pairs a row
	leaves        float64 // in which a row stood
	joined        bool    // joins came before it: those find less and less
}

// whole is the share of the cycle that a division of all its leaves is.
func (c cycle) whole() float64 { return Overlap / c.leaves }

// left is the share of the missing neighbors that a whole division leaves.
func (c cycle) left(missing float64) float64 {
	return math.Pow(missing/(missing+c.gained), c.whole())
}

// cycle tells of the latest division. Of a part of one alone the rows that steer tell too little: the one before it
// counts as well.
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

// divisionBefore is the latest division before a stage, since keys took over; -1 if there is none.
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

// leaves is in how many leaves a row stood within a division by balls.
func (st Stage) leaves() float64 { return float64(cmp.Or(st.Leaves, Overlap)) }

// Declining is how many more pairs a row, in pairs of the exact method, reaching the target takes if
// each division, with the joins after it, leaves the same share of the missing neighbors as the last one
// did, up to half of one; cycle is those of one. Both are 0 where the last division has no joins after it.
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

// LeavesLeft is in how many more leaves each row has to stand until the build reaches its target, if each leaf,
// with the joins after it, leaves the same share of the missing neighbors as those of the last division did. It is
// unknown, and infinite, where the last division has no joins after it, or none before it: the first joins find more than any others.
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

// leastLeft is the share of the missing neighbors that a division has to find for more of them to be
// counted: a recall of floats may differ by less where nothing was found.
const leastLeft = 1e-9

// Aim is the recall that is expected to suffice: the standard error falls as less is missing, and more rows
// steer where it is large beside the share that the target may miss.
func (g *Goal) Aim(s *State) float64 {
	last := s.Last()
	wanted := g.Wanted(last.Margin * math.Sqrt(min(1, (1-g.Recall)/max(1-last.Recall, 1e-9))))
	return min(wanted, max(g.Recall, (1+g.Recall)/2))
}
