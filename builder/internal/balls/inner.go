package balls

import (
	"fmt"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/inner"
	"github.com/knng/knng/builder/internal/job"
)

// The balls method under inner products uses balls of rows of similar direction and length (package
// internal/inner). In each division every row looks into some more of these balls. Lists hold keys from the
// beginning.

// innerCells holds the balls of a build.
type innerCells struct {
	m *Method
	*inner.Cells
	course inner.Course
}

// innerBytes returns the memory of a row in balls: its norm, its place, and the codes of its direction, which
// exist twice while balls are made.
func innerBytes(dim int) int64 { return 2*int64(dim+12) + 24 }

// prepare makes the balls, or switches to the exact method if that costs no more.
func (c *innerCells) prepare() error {
	m := c.m
	p := m.Begin("cells", "", 0)
	defer p.End("")
	m.Keyed, m.State.Means = true, job.ByKeys
	cells, err := inner.Make(m.Ctx, m.Rows, m.Space, inner.Options{Seed: m.Set.Seed, Threads: m.Job.Threads})
	if err != nil {
		return err
	}
	c.Cells, c.course.Cells = cells, cells.Len()
	if m.Steer == nil {
		return nil
	}
	first := m.State.FirstSteer() // the sample at the start of the build, before others joined
	c.course.Foresight = cells.Foresee(m.Steer.Places[:first], build.NeighborsOf(m.Steer)[:first], m.Goal.Wanted(0))
	m.Say("%s", c.course.Foretold(&m.Goal))
	if c.course.Dear(&m.State, &m.Goal) {
		return m.ExactInstead()
	}
	return nil
}

// next lets rows look into more balls until recall suffices.
func (c *innerCells) next() (kind, stop string) {
	s, g := &c.m.State, &c.m.Goal
	if stop := c.course.Ended(s, g); stop != "" {
		return "", stop
	}
	if c.course.PaysNoLonger(s, g) {
		return job.ListsStage, ""
	}
	return job.DivisionStage, ""
}

// divide runs a division under inner products.
func (c *innerCells) divide() error {
	m := c.m
	st := job.Stage{Kind: job.DivisionStage, Number: m.State.Count(job.DivisionStage) + 1, Parts: c.course.Looks(&m.State, &m.Goal)}
	p := m.Begin(fmt.Sprintf("division %d", st.Number), "rows", int64(m.N()))
	lists := inner.Lists{Found: m.found, Keys: m.Keys, Threads: m.Job.Threads, Progress: p.Add}
	pairs, err := c.Look(m.Ctx, lists, c.course.Reach(), m.State.Last().Parts, st.Parts)
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
