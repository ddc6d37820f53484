package builder

import (
	"fmt"
	"math"
	"strings"

	"github.com/knng/knng/builder/plan"
)

// How a build arrives. Where divisions and joins stop paying before the target is reached, a
// build changes its means: from codes to keys, and from either to all pairs, which always
// arrives. It goes by counts and by recall on the rows that steer, as everything does, and
// stays within what the user allowed.

// Means by which rows are compared.
const (
	byCodes = ""
	byKeys  = "keys"
)

// Kinds of stages that change the means: from there on lists have keys, or are those of the
// exact method.
const (
	keysStage  = "keys"
	listsStage = "lists"
)

// byKeys reports whether lists of candidates have keys.
func (s *state) byKeys() bool { return s.Means == byKeys || s.count(keysStage) > 0 }

// mostDivisions bounds divisions, and rounds: where a target is to be reached and keys tell
// all there is, only all pairs do.
func (g *goal) mostDivisions(s *state) int {
	if s.byKeys() && g.Recall > 0 && s.Steer > 0 {
		return math.MaxInt32
	}
	return MaxDivisions
}

// capped reports whether the user limited what a build may do to reach its target.
func (g *goal) capped() bool { return g.Divisions > 0 || g.Rounds > 0 }

// keyedPairs is about how many pairs a row a build by keys takes: where all pairs are no more
// they are compared at once.
const keyedPairs = 2500

// keyedDivision is about how many pairs a row a division by keys takes, of leaves of 250
// to 500 rows.
const keyedDivision = 750

// allPairs is how many pairs a row all pairs are.
func (s *state) allPairs(n int) float64 { return float64(n-1) / 2 }

// turn decides, where another division would come next or, if it is over, nothing, whether
// the means change instead: the kind of the stage that does it, or "".
func (g *goal) turn(s *state, over bool) string {
	if g.capped() || g.Recall == 0 || s.Steer == 0 || len(s.Stages) == 0 {
		return ""
	}
	all, spent := s.allPairs(s.Rows), float64(s.sums().Requested)/float64(s.Rows)
	dear := func(more float64) bool { return more > enough*all-spent/2 }
	more := g.expectedMore(s)
	switch {
	case !over && !g.stalled(s) && (!dear(more) || all <= keyedPairs):
		return ""
	case s.byKeys() && !over && !dear(more):
		return "" // slow, and still less than all pairs
	case s.byKeys(), dear(more) && !g.stalled(s), all <= keyWorth*keyedPairs:
		return listsStage
	}
	return keysStage
}

// orTurn is what comes next, or what changes the means before it.
func (g *goal) orTurn(s *state, kind, stop string) (string, string) {
	if other := g.turn(s, stop != ""); other != "" {
		return other, ""
	}
	return kind, stop
}

// keyWorth is how many times a pair by codes, as which the exact method compares what codes
// can tell, a pair by keys costs.
const keyWorth = 10

// enough is from how many times all pairs on these are compared instead of what is expected
// to come, before anything is spent: what is spent already makes it less.
const enough = 1.2

// stalledShare is the share of what is missing that a division, with the joins after it, has
// to gain for another one to pay.
const stalledShare = 0.25

// cycle is what the latest division gained, with the joins after it, and its pairs a row;
// joined tells whether joins came before it, which find less and less.
func (s *state) cycle() (gained, pairs float64, joined bool) {
	i := len(s.Stages) - 1
	for ; i >= 0; i-- {
		pairs += float64(s.Stages[i].Requested) / float64(s.Rows)
		if s.Stages[i].Kind == divisionStage {
			break
		}
	}
	if i < 1 {
		return 0, 0, false
	}
	for _, st := range s.Stages[:i] {
		joined = joined || st.Kind == propagationStage
	}
	return s.last().Recall - s.Stages[i-1].Recall, pairs, joined
}

// stalled reports whether divisions and joins have stopped paying.
func (g *goal) stalled(s *state) bool {
	last := s.last()
	missing := g.wanted(last.Margin) - last.Recall
	gained, _, joined := s.cycle()
	switch {
	case joined:
		return gained < stalledShare*missing
	case g.onlyDivides(s):
		return s.count(divisionStage) > 1 && last.Kind == divisionStage && gained < stalledShare/3*missing
	}
	return false // joins have not begun
}

// onlyDivides reports whether a build has no joins.
func (g *goal) onlyDivides(s *state) bool { return s.Method == string(Parts) || !g.Propagate }

// expectedMore is how many more pairs a row reaching the target takes, if it goes on as it
// does: at least those of another division.
func (g *goal) expectedMore(s *state) float64 {
	last := s.last()
	aim := g.wanted(last.Margin)
	gained, pairs, joined := s.cycle()
	division := s.divisionPairs()
	if joined && gained <= 0 {
		return math.Inf(1)
	}
	if joined {
		return max(division, pairs*(aim-last.Recall)/gained)
	}
	if !g.onlyDivides(s) {
		aim = min(aim, s.Plan.Switch) // from there on joins gain more
	}
	balls, recall, sum := s.ballsBy(len(s.Stages)), last.Recall, division
	for range MaxDivisions {
		recall = plan.AfterDivision(recall, balls, overlap)
		if recall >= aim {
			break
		}
		balls += overlap
		sum += division
	}
	return sum
}

// ballsBy is how many leaves a row has stood in after some stages, of an overlap each.
func (s *state) ballsBy(stages int) (balls int) {
	for _, st := range s.Stages[:stages] {
		if st.Kind == divisionStage {
			balls += overlap
		}
	}
	return max(balls, overlap)
}

// divisionPairs is how many pairs a row the next division takes: as many as the last one did.
func (s *state) divisionPairs() float64 {
	for i := len(s.Stages) - 1; i >= 0; i-- {
		if s.Stages[i].Kind == keysStage {
			break
		}
		if s.Stages[i].Kind == divisionStage {
			return float64(s.Stages[i].Requested) / float64(s.Rows)
		}
	}
	return keyedDivision
}

// paperTurns reports whether the paper's method, which has nothing more to do or goes on, has all
// pairs compared instead. Those under a distance of the user's own may take any time: no more
// of them are than were asked for by then.
func (g *goal) paperTurns(s *state, over, cheap bool) bool {
	if g.capped() {
		return false
	}
	spent := float64(s.sums().Requested) / float64(s.Rows)
	return spent >= s.allPairs(s.Rows) || over && cheap
}

// allCompared is why the exact method stops.
const allCompared = "all pairs compared"

// nextExact decides for the exact method, which another one may have turned to: then what
// steers ends it sooner.
func (g *goal) nextExact(s *state, target int) (kind, stop string) {
	last, done := s.last(), s.count(exactStage)
	switch {
	case done < target && done > 0 && g.reached(s, last.Recall, last.Margin):
		return "", fmt.Sprintf("recall %.3f on %d steering rows reached the target %.3f, %d of %d parts of all pairs compared",
			last.Recall, s.Steer, g.Recall, done, target)
	case done < target:
		return exactStage, ""
	case s.count(listsStage) > 0:
		return "", allCompared + ": divisions and joins paid no longer"
	case s.Steer > 0:
		return "", allCompared + ": codes cannot tell enough of these rows apart"
	}
	return "", allCompared
}

// cut reports whether recall on the steering rows ended the comparing of all pairs.
func (s *state) cut() bool { return s.Steer > 0 && !strings.HasPrefix(s.Stop, allCompared) }
