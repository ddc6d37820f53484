package job

import (
	"fmt"
	"math"
	"strings"

	"github.com/knng/knng/builder/internal/fixed"
)

// How a build reaches its target. Where divisions and joins stop paying before that, a build
// compares rows by other means: by keys in place of codes, and all pairs in place of either,
// which always reaches it. Counts and the recall of the steering sample decide, within the
// user's limits.

// ByKeys is the State.Means of a build whose lists have keys from the first stage on.
const ByKeys = "keys"

// Kinds of stages that change how rows are compared: from there on lists hold keys, or the
// exact method goes on.
const (
	KeysStage  = "keys"
	ListsStage = "lists"
)

// ByKeys reports whether lists of candidates have keys.
func (s *State) ByKeys() bool { return s.Means == ByKeys || s.Count(KeysStage) > 0 }

// MostDivisions bounds divisions, and rounds: where a target is to be reached and keys tell
// all there is, only all pairs do.
func (g *Goal) MostDivisions(s *State) int {
	if s.ByKeys() && g.Recall > 0 && s.Steer > 0 {
		return math.MaxInt32
	}
	return MaxDivisions
}

// Capped reports whether the options limit the divisions or rounds of a build.
func (g *Goal) Capped() bool { return g.Divisions > 0 || g.Rounds > 0 }

// KeyedPairs is about how many pairs a row a build by keys takes: where all pairs cost no more
// they are compared at once (Goal.Keyed).
const KeyedPairs = 2500

// Keyed is about what a build by keys costs a row, in pairs of the exact method. 20,000 sets of
// three of 256 columns under cosine took 6.1 s of a processor by keys and 1.8 for all pairs, 50,000
// rows of islands in 32 dimensions 2.9 and 4.1.
func (g *Goal) Keyed() float64 { return g.keyCost() * KeyedPairs }

// PairCost is the cost of a pair as lists compare now, in pairs of the exact method.
func (g *Goal) PairCost(s *State) float64 {
	if s.ByKeys() {
		return g.keyCost()
	}
	return 1
}

// keyCost is the cost of a pair by keys, in pairs of the exact method.
func (g *Goal) keyCost() float64 {
	if g.Screened {
		return keyWorth
	}
	return 1
}

// keyedDivision is about how many pairs a row a division by keys takes, of leaves of 250
// to 500 rows.
const keyedDivision = 750

// AllPairs is how many pairs a row all pairs are.
func (s *State) AllPairs(n int) float64 { return float64(n-1) / 2 }

// turn decides, where another division would come next or, if it is over, nothing, whether
// the means change instead: the kind of the stage that does it, or "".
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
		return "" // slow, and still less than all pairs
	case s.ByKeys(), dear(more) && !g.stalled(s), all <= keyWorth*KeyedPairs:
		return ListsStage
	}
	return KeysStage
}

// DearBeside reports whether so many pairs a row are more than a build may take beside all pairs.
func DearBeside(pairs, all float64) bool { return pairs > (enough-1)*all }

// TurnsToAll reports whether a build compares all pairs next.
func (g *Goal) TurnsToAll(s *State) bool { return g.turn(s, false) == ListsStage }

// Spent is the cost of the stages so far a row, in pairs of the exact method.
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

// OrTurn returns the stage that replaces kind by other means, where turn has one, else kind
// and stop.
func (g *Goal) OrTurn(s *State, kind, stop string) (string, string) {
	if other := g.turn(s, stop != ""); other != "" {
		return other, ""
	}
	return kind, stop
}

// keyWorth is the cost of a pair by keys, in pairs by codes. The exact method compares by
// codes, or by products of floats, which cost as little.
const keyWorth = 10

// enough is how many times all pairs the remaining stages may cost: beyond it all pairs are
// compared instead. Pairs that are spent already lower it.
const enough = 1.2

// StalledShare is the share of the missing recall that a division, with the joins after it,
// has to gain for another one to pay.
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

// blindShare is the share of the missing recall by which a build by codes may be short of what
// codes can tell at most for them to be given up.
const blindShare = 0.1

// blind reports whether the lists have all that codes can tell, and the target asks for more.
func (g *Goal) blind(s *State) bool {
	last := s.Last()
	aim := g.Wanted(last.Margin)
	return !s.ByKeys() && s.Ceiling > 0 && s.Ceiling < aim && s.Ceiling-last.Recall < blindShare*(aim-last.Recall)
}

// onlyDivides reports whether a build has no joins.
func (g *Goal) onlyDivides(s *State) bool { return !g.Propagate }

// expectedMore is how many more pairs a row reaching the target takes, if it goes on as it
// does: at least those of another division.
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
		aim = min(aim, s.Plan.Switch) // from there on joins gain more
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

// ballsBy is how many leaves a row has stood in after some stages.
func (s *State) ballsBy(stages int) (balls int) {
	for _, st := range s.Stages[:stages] {
		if st.Kind == DivisionStage {
			balls += int(st.leaves())
		}
	}
	return max(balls, Overlap)
}

// DivisionPairs is how many pairs a row the next whole division takes: as many a leaf as the last one did.
func (s *State) DivisionPairs() float64 {
	i := s.divisionBefore(len(s.Stages))
	if i < 0 {
		return keyedDivision
	}
	last := s.Stages[i]
	return float64(last.Requested) / float64(s.Rows) * Overlap / last.leaves()
}

// PaperTurns reports whether the paper's method, which has nothing more to do or goes on, has all
// pairs compared instead. Under a distance of the user's own, whose pairs may take any time,
// it does so only once as many pairs were requested already.
func (g *Goal) PaperTurns(s *State, over, cheap bool) bool {
	if g.Capped() {
		return false
	}
	spent := float64(s.Sums().Requested) / float64(s.Rows)
	return spent >= s.AllPairs(s.Rows) || over && cheap
}

// allCompared is why the exact method stops.
const allCompared = "all pairs compared"

// NextExact decides for the exact method. Where another method went over to it, the steering
// sample may end it before all pairs are compared.
func (g *Goal) NextExact(s *State, target int) (kind, stop string) {
	last, done := s.Last(), s.Count(ExactStage)
	margin := float64(halfway) // parts of all pairs gain in leaps
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

// Cut reports whether recall on the steering rows ended the comparing of all pairs.
func (s *State) Cut() bool { return s.Steer > 0 && !strings.HasPrefix(s.Stop, allCompared) }
