package builder

import (
	"fmt"

	"github.com/knng/knng/builder/plan"
)

// next has divisions until joins find something
// to work on, then joins; where these gain too little to reach the target soon,
// another division gives them new neighbors to spread.
func (m *ballsMethod) next() (kind, stop string) {
	s, g := &m.state, &m.goal
	if stop := g.enough(s); stop != "" {
		return "", stop
	}
	kind, stop = m.more()
	if kind == propagationStage {
		return kind, stop
	}
	return g.orTurn(s, kind, stop)
}

// more decides where recall does not suffice.
func (m *ballsMethod) more() (kind, stop string) {
	s, g := &m.state, &m.goal
	balls, rounds, steered, last := g.ballsDone(s), s.count(propagationStage), g.steered(s), s.last()
	most := g.mostDivisions(s)
	if g.Divisions > 0 {
		most = g.Divisions
	} else if !steered {
		most = s.Plan.Balls
	}
	mayDivide, mayJoin := balls < most, g.Propagate && rounds < g.mostDivisions(s)
	if g.Rounds > 0 {
		mayJoin = mayJoin && rounds < g.Rounds
	} else if !steered {
		mayJoin = mayJoin && rounds < 1
	} else if last.Kind == propagationStage && last.Requested == 0 {
		mayJoin = false // a round had nothing to compare: no later one has
	}
	switch {
	case balls == 0, last.Kind == keysStage, mayDivide && !mayJoin, mayDivide && rounds == 0 && (!steered || m.divisionsGoOn(balls)):
		return divisionStage, ""
	case mayJoin && !mayDivide, mayJoin && (last.Kind == divisionStage || m.soon()):
		return propagationStage, ""
	case mayDivide:
		return divisionStage, ""
	}
	if steered {
		return "", fmt.Sprintf("nothing more to do within %d balls a row and %d rounds: recall %.3f on %d steering rows, target %.3f",
			balls, rounds, last.Recall, s.Steer, g.Recall)
	}
	return "", fmt.Sprintf("each row in %d balls, %d propagation rounds done", balls, rounds)
}

// divisionsGoOn reports whether another division comes before the first joins: below the
// recall from which these take over, and where it will not reach the target. If it did it
// would overshoot it, which a part of a round does not.
func (m *ballsMethod) divisionsGoOn(balls int) bool {
	s, g := &m.state, &m.goal
	last := s.last()
	return last.Recall < s.Plan.Switch && plan.AfterDivision(last.Recall, balls, overlap) < g.wanted(last.Margin)
}

// soon reports whether more rounds of joins are likely to reach the target: each
// gains about a third of what the one before it gained, so all of them together
// half of the last.
func (m *ballsMethod) soon() bool {
	s, g := &m.state, &m.goal
	n := len(s.Stages)
	if n < 2 {
		return true
	}
	last := s.Stages[n-1]
	gained := last.Recall - s.Stages[n-2].Recall
	return last.Recall+gained/2 >= g.wanted(last.Margin)
}
