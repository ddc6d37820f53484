package balls

import (
	"cmp"
	"fmt"

	"github.com/knng/knng/builder/internal/inner"
	"github.com/knng/knng/builder/internal/job"
)

// The balls method under inner products: balls of near directions among rows of about the same
// length (package internal/inner). A division has every row look into some more of them; lists hold
// keys from the beginning. Of the rows that steer the exact lists are known, so into how
// many balls rows have to look is known before the first one does.

// innerCells are the balls of a build, and their foreseen recall.
type innerCells struct {
	m *Method
	*inner.Cells
	foresight *inner.Foresight // nil: nothing steers
}

// innerBytes is the memory of a row in balls: codes of its direction, twice while balls are
// made, its norm and its place.
func innerBytes(dim int) int64 { return 2*int64(dim+12) + 24 }

// innerLooks is into how many balls rows look in a division where nothing steers.
const innerLooks = 2 * job.Overlap

// foreseenMargin stands for the standard error of recall on rows of which nothing is known yet.
const foreseenMargin = 0.0025

// innerWorth is the share of all pairs that rows look at for which all pairs take no longer:
// looked at, a pair is compared for one of its rows. Of 100,000 rows of normal values, 0.95 of
// all pairs took 18 s of a core, and all pairs 11.
const innerWorth = 0.6

// prepare makes the balls, or has the exact method go on where it costs no more.
func (c *innerCells) prepare() error {
	m := c.m
	p := m.Begin("cells", "rows", int64(m.N()))
	defer p.End("")
	m.Keyed, m.State.Means = true, job.ByKeys
	norms := make([]float64, m.N())
	for i := range norms {
		norms[i] = m.Space.Norm(m.Rows.Row(i))
	}
	cells, err := inner.Make(m.Ctx, m.Rows, m.Space, norms, m.Set.Seed, m.Job.Threads)
	if err != nil {
		return err
	}
	c.Cells = cells
	if m.Steer == nil {
		return nil
	}
	c.foresight = cells.Foresee(m.Steer.Places, neighborsOf(m.Steer), m.Goal.Wanted(0))
	count, pairs := c.foresight.Cells(m.Goal.Wanted(0))
	m.Say("%d balls by length and direction: about %d of them, %.0f pairs a row, for recall %.3f", cells.Len(), count, pairs, m.Goal.Recall)
	if len(m.State.Stages) == 0 && pairs > innerWorth*m.State.AllPairs(m.N()) && !m.Goal.Capped() {
		m.State.Side = m.BlockSide()
		return m.ExactInstead()
	}
	return nil
}

// next has rows look into more balls until recall suffices.
func (c *innerCells) next() (kind, stop string) {
	m := c.m
	s, g := &m.State, &m.Goal
	switch done, looked := s.Count(job.DivisionStage), s.Last().Parts; {
	case g.Divisions > 0 && g.BallsDone(s) >= g.Divisions, !g.Steered(s) && done > 0, looked >= c.Len():
		return "", fmt.Sprintf("each row looked into %d of %d balls", looked, c.Len())
	case done > 0 && !g.Capped() && c.pairs(c.looks()) > innerWorth*s.AllPairs(s.Rows):
		return job.ListsStage, ""
	}
	return job.DivisionStage, ""
}

// pairs is how many pairs a row takes that looks into so many balls.
func (c *innerCells) pairs(balls int) float64 {
	return float64(balls)*float64(c.m.N())/float64(c.Len()) + float64(c.Len())
}

// looks is into how many balls a row will have looked after the next division: as many as
// the target asks for by the foreseen recall, and else twice as many as before.
func (c *innerCells) looks() int {
	s, g, f := &c.m.State, &c.m.Goal, c.foresight
	looked := s.Last().Parts
	switch {
	case g.Divisions > 0:
		return looked + g.OverlapOf(s.Count(job.DivisionStage)+1)
	case f == nil:
		return innerLooks
	}
	last := s.Last()
	count, _ := f.Cells(g.Wanted(cmp.Or(last.Margin, foreseenMargin)))
	if count <= looked {
		count = looked + max(looked/4, 1)
	}
	return min(count, c.Len())
}

// divide is a division under inner products.
func (c *innerCells) divide() error {
	m := c.m
	st := job.Stage{Kind: job.DivisionStage, Number: m.State.Count(job.DivisionStage) + 1, Parts: c.looks()}
	reach := inner.Reach(0.3)
	if c.foresight != nil {
		reach = c.foresight.Reach
	}
	p := m.Begin(fmt.Sprintf("division %d", st.Number), "rows", int64(m.N()))
	lists := inner.Lists{Found: m.found, Keys: m.Keys, Threads: m.Job.Threads, Progress: p.Add}
	pairs, err := c.Look(m.Ctx, lists, reach, m.State.Last().Parts, st.Parts)
	if err != nil {
		return err
	}
	st.Requested, st.Evaluated = pairs, pairs
	if err := m.look(&st); err != nil {
		return err
	}
	err = m.endBallStage(st)
	p.End("division %d: each row looked into %d of %d balls, %.0f pairs a row%s", st.Number, st.Parts, c.Len(), float64(pairs)/float64(m.N()), m.SteerNote())
	return err
}
