package balls

import (
	"fmt"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/job"
)

// Next divides until joins have something to work on, or until divisions find little and joins are expected
// to find much more. Then it joins. If joins gain too little to reach the target soon, another division gives
// them new neighbors to spread.
func (m *Method) Next() (kind, stop string) {
	s, g := &m.State, &m.Goal
	if !m.Inner() && g.Widens(s) {
		return job.SteerStage, ""
	}
	if stop := g.Enough(s); stop != "" && !(m.opts.whole() && g.BallsDone(s) == 0) { // known lists may be short
		return "", stop
	}
	if m.opts.Known != nil && len(s.Stages) == 0 {
		return job.KnownStage, ""
	}
	if m.Inner() {
		return m.cells.next()
	}
	kind, stop = decision{s, g, &m.opts}.more()
	if kind == job.PropagationStage || kind == job.DivisionStage && (prospects{m}).joinsFirst() {
		return job.PropagationStage, ""
	}
	kind, stop = g.OrTurn(s, kind, stop)
	if (prospects{m}).tiersFirst(kind) {
		kind, stop = job.ListsStage, ""
	}
	if m.hubs.first(kind) {
		return job.HubsStage, ""
	}
	return kind, stop
}

// A decision chooses between divisions and joins while recall does not suffice. It depends only on the state,
// the goal and the options.
type decision struct {
	s    *job.State
	g    *job.Goal
	opts *Options
}

// more returns the next stage while recall does not suffice.
func (d decision) more() (kind, stop string) {
	s, g := d.s, d.g
	balls, rounds, steered, last := g.BallsDone(s), s.Count(job.PropagationStage), g.Steered(s), s.LastWork()
	if d.joinsKnown(balls, rounds) {
		return job.PropagationStage, ""
	}
	most := g.MostDivisions(s)
	if g.Divisions > 0 {
		most = g.Divisions
	} else if !steered {
		most = s.Plan.Balls
	}
	mayDivide, mayJoin := balls < most, g.Propagate && rounds < g.MostDivisions(s)
	if g.Rounds > 0 {
		mayJoin = mayJoin && rounds < g.Rounds
	} else if !steered {
		mayJoin = mayJoin && rounds < 1
	} else if last.Kind == job.PropagationStage && last.Requested == 0 {
		mayJoin = false // a round without pairs: later ones have none either
	}
	switch {
	case balls == 0, mayDivide && steered && d.dividesKnown(), last.Kind == job.KeysStage, mayDivide && !mayJoin, mayDivide && rounds == 0 && (!steered || d.divisionsGoOn(balls)):
		return job.DivisionStage, ""
	case mayJoin && !mayDivide, mayJoin && (last.Kind == job.DivisionStage || last.Kind == job.HubsStage || d.soon()):
		return job.PropagationStage, ""
	case mayDivide:
		return job.DivisionStage, ""
	}
	if steered {
		return "", fmt.Sprintf("nothing more to do within %d balls a row and %d rounds: recall %.3f on %d steering rows, target %.3f",
			balls, rounds, s.Last().Recall, s.Steer, g.Recall)
	}
	return "", fmt.Sprintf("each row in %d balls, %d propagation rounds done", balls, rounds)
}

// joinsKnown reports whether known lists are joined before any division: only lists of all rows are. Lists of
// parts have nothing new for each other until divisions have brought rows of other parts into them. On two
// halves of SIFT, joins after one division took 8 % more processor time than joins after two.
func (d decision) joinsKnown(balls, rounds int) bool {
	s, g := d.s, d.g
	if d.opts.Known == nil || !g.Steered(s) || !g.Propagate || rounds > 0 && !d.soon() {
		return false
	}
	return balls == 0 && d.opts.Ends == nil
}

// divisionsGoOn reports whether another division comes before the first joins: recall is below Plan.Switch,
// and the division will not reach the target. If it did, it would overshoot the target, which a part of a
// round does not.
func (d decision) divisionsGoOn(balls int) bool {
	s, g := d.s, d.g
	last := s.Last()
	found, wanted := last.Recall, g.Wanted(last.Margin)
	if within := s.Stages[0].Recall; len(d.opts.Ends) > 1 && within < leastAcross*g.Recall {
		beyond := 1 - within/g.Recall // the share of neighbors that are in other parts
		found, wanted = (found-within)/beyond, (wanted-within)/beyond
	}
	return found < s.Plan.Switch && fixed.AfterDivision(found, balls, job.Overlap) < wanted
}

// leastAcross is the share of the target recall, already in known lists of parts, below which divisions are
// judged only by the neighbors in other parts, which are those they find.
const leastAcross = 0.9

// soon reports whether more rounds of joins are likely to reach the target: each gains about a third of the
// one before it, so all later rounds gain half of the last one.
func (d decision) soon() bool {
	s, g := d.s, d.g
	gained, known := s.Gained()
	if !known {
		return true
	}
	last := s.Last()
	return last.Recall+gained/2 >= g.Wanted(last.Margin)
}
