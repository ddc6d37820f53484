package job

import (
	"fmt"
	"math"
	"strings"

	"github.com/knng/knng/builder/internal/fixed"
)

// If divisions and joins stop paying before a build reaches its target, it compares rows by other means: by
// keys instead of codes, or all pairs, which always reach the target. Counts and the recall of the steering
// sample decide, within the user's limits.

// ByKeys is the State.Means of a build whose lists have keys from the first stage on.
const ByKeys = "keys"

// These kinds of stages change how rows are compared: from then on lists hold keys, or the exact method
// continues.
const (
	KeysStage  = "keys"
	ListsStage = "lists"
)

// ByKeys reports whether lists of candidates have keys.
func (s *State) ByKeys() bool { return s.Means == ByKeys || s.Count(KeysStage) > 0 }

// MostDivisions limits divisions, and rounds. There is no limit for a target by keys, since then only all
// pairs could do better.
func (g *Goal) MostDivisions(s *State) int {
	if s.ByKeys() && g.Recall > 0 && s.Steer > 0 {
		return math.MaxInt32
	}
	return MaxDivisions
}

// Capped reports whether the options limit the divisions or rounds of a build.
func (g *Goal) Capped() bool { return g.Divisions > 0 || g.Rounds > 0 }

// KeyedPairs is about the number of pairs per row of a build by keys. If all pairs cost no more, they are
// compared at once (Goal.Keyed).
const KeyedPairs = 2500

// Keyed returns the approximate cost per row of a build by keys, in pairs of the exact method. 20,000 sets of
// three of 256 columns under cosine took 6.1 s of processor time by keys and 1.8 s for all pairs, 50,000 rows
// of islands in 32 dimensions 2.9 and 4.1 s.
func (g *Goal) Keyed() float64 { return g.keyCost() * KeyedPairs }

// PairCost returns the present cost of a pair, in pairs of the exact method.
func (g *Goal) PairCost(s *State) float64 {
	if s.ByKeys() {
		return g.keyCost()
	}
	return 1
}

// keyCost returns the cost of a pair by keys, in pairs of the exact method.
func (g *Goal) keyCost() float64 {
	if g.Screened {
		return keyWorth
	}
	return 1
}

// keyedDivision is about the number of pairs per row of a division by keys, with leaves of 250 to 500 rows.
const keyedDivision = 750

// AllPairs returns the number of pairs per row when all pairs are compared.
func (s *State) AllPairs(n int) float64 { return float64(n-1) / 2 }

// turn returns the kind of the stage that changes the means, or "" if they stay. It is asked before another
// division, or, with over, at the end of the build.
func (g *Goal) turn(s *State, over bool) string {
	if g.Capped() || g.Recall == 0 || s.Steer == 0 || len(s.Stages) == 0 {
		return ""
	}
	all, spent, more := s.AllPairs(s.Rows), g.Spent(s), g.expectedMore(s)
	more *= g.PairCost(s)
	dear := func(more float64) bool { return more > enough*all-spent/2 }
	switch {
	case g.blind(s) && all > keyWorth*KeyedPairs:
		return KeysStage
	case !over && !g.stalled(s) && (!dear(more) || all <= KeyedPairs):
		return ""
	case s.ByKeys() && !over && !dear(more):
		return "" // slow, but still less than all pairs
	case s.ByKeys(), dear(more) && !g.stalled(s), all <= keyWorth*KeyedPairs:
		return ListsStage
	}
	return KeysStage
}

// DearBeside reports whether so many pairs a row exceed the part that a build may spend beyond all pairs.
func DearBeside(pairs, all float64) bool { return pairs > (enough-1)*all }

// TurnsToAll reports whether a build compares all pairs next.
func (g *Goal) TurnsToAll(s *State) bool { return g.turn(s, false) == ListsStage }

// Spent returns the cost per row of the stages so far, in pairs of the exact method.
func (g *Goal) Spent(s *State) (sum float64) {
	cost := 1.0
	if s.Means == ByKeys {
		cost = g.keyCost()
	}
	for _, st := range s.Stages {
		if st.Kind == KeysStage {
			cost = g.keyCost()
		}
		sum += cost * float64(st.Requested) / float64(s.Rows)
	}
	return sum
}

// OrTurn returns the stage by other means, if turn has one, else kind and stop.
func (g *Goal) OrTurn(s *State, kind, stop string) (string, string) {
	if other := g.turn(s, stop != ""); other != "" {
		return other, ""
	}
	return kind, stop
}

// keyWorth is the cost of a pair by keys, in pairs by codes. The exact method compares by codes, or by
// products of floats, which cost as little.
const keyWorth = 10

// enough is the most that the remaining stages may cost, in multiples of all pairs: beyond it all pairs are
// compared instead. Pairs already spent lower it.
const enough = 1.2

// StalledShare is the share of the missing recall that a division, with the joins after it, must gain for
// another one to pay.
const StalledShare = 0.25

// stalled reports whether divisions and joins have stopped paying.
func (g *Goal) stalled(s *State) bool {
	last := s.Last()
	missing := g.Wanted(last.Margin) - last.Recall
	switch c := s.cycle(); {
	case c.joined:
		return c.gained*c.whole() < StalledShare*missing
	case g.onlyDivides(s):
		return s.Count(DivisionStage) > 1 && s.LastWork().Kind == DivisionStage && c.gained < StalledShare/3*missing
	}
	return false // joins have not begun
}

// blindShare is the share of the missing recall below which a possible gain by codes is ignored: codes are then
// given up.
const blindShare = 0.1

// blind reports whether the lists are almost as good as codes allow, and the target is higher.
func (g *Goal) blind(s *State) bool {
	last := s.Last()
	aim := g.Wanted(last.Margin)
	return !s.ByKeys() && s.Ceiling > 0 && s.Ceiling < aim && s.Ceiling-last.Recall < blindShare*(aim-last.Recall)
}

// onlyDivides reports whether a build has no joins.
func (g *Goal) onlyDivides(s *State) bool { return !g.Propagate }

// expectedMore returns the expected pairs per row until the target at the present rate: at least those of
// another division.
func (g *Goal) expectedMore(s *State) float64 {
	last := s.Last()
	aim := g.Wanted(last.Margin)
	c, division := s.cycle(), s.DivisionPairs()
	if c.joined && c.gained <= 0 {
		return math.Inf(1)
	}
	if c.joined {
		return max(division, c.pairs*(aim-last.Recall)/c.gained)
	}
	if !g.onlyDivides(s) {
		aim = min(aim, s.Plan.Switch) // above it joins gain more
	}
	balls, recall, sum := s.ballsBy(len(s.Stages)), last.Recall, division
	for range MaxDivisions {
		recall = fixed.AfterDivision(recall, balls, Overlap)
		if recall >= aim {
			break
		}
		balls += Overlap
		sum += division
	}
	return sum
}

// ballsBy returns the number of leaves that a row was in after some stages.
func (s *State) ballsBy(stages int) (balls int) {
	for _, st := range s.Stages[:stages] {
		if st.Kind == DivisionStage {
			balls += int(st.leaves())
		}
	}
	return max(balls, Overlap)
}

// DivisionPairs returns the pairs per row of the next whole division, from the pairs per leaf of the last
// one.
func (s *State) DivisionPairs() float64 {
	i := s.divisionBefore(len(s.Stages))
	if i < 0 {
		return keyedDivision
	}
	last := s.Stages[i]
	return float64(last.Requested) / float64(s.Rows) * Overlap / last.leaves()
}

// PaperTurns reports whether the paper's method switches to all pairs, at its end (over) or before another
// stage. With the user's own distance, whose pairs may take any time, it does so only after requesting that
// many pairs.
func (g *Goal) PaperTurns(s *State, over, cheap bool) bool {
	if g.Capped() {
		return false
	}
	spent := float64(s.Sums().Requested) / float64(s.Rows)
	return spent >= s.AllPairs(s.Rows) || over && cheap
}

// allCompared is the reason for which the exact method stops.
const allCompared = "all pairs compared"

// NextExact returns the next stage of the exact method. If another method switched to it, the steering sample
// may end it before all pairs are compared.
func (g *Goal) NextExact(s *State, target int) (kind, stop string) {
	last, done := s.Last(), s.Count(ExactStage)
	margin := float64(halfway) // a part of all pairs may gain much at once
	if s.Tiers > 0 {
		margin = last.Margin
	}
	switch {
	case done < target && done > 0 && g.Reached(s, last.Recall, margin):
		return "", fmt.Sprintf("recall %.3f on %d steering rows reached the target %.3f, %d of %d parts of all pairs compared",
			last.Recall, s.Steer, g.Recall, done, target)
	case done < target:
		return ExactStage, ""
	case s.Count(ListsStage) > 0:
		return "", allCompared + ": divisions and joins paid no longer"
	case s.Steer > 0:
		return "", allCompared + ": codes cannot tell enough of these rows apart"
	}
	return "", allCompared
}

// Cut reports whether recall on the steering rows ended the comparison of all pairs.
func (s *State) Cut() bool { return s.Steer > 0 && !strings.HasPrefix(s.Stop, allCompared) }
