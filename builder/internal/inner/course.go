package inner

import (
	"cmp"
	"fmt"

	"github.com/knng/knng/builder/internal/job"
)

// A Course decides how many cells rows look into. In each division of a build, every row looks into some more
// of them. The exact lists of the steering rows are known, so the number needed is forecast before the first
// division.
type Course struct {
	Cells     int
	Foresight *Foresight // nil: there is no steering sample
}

// plainLooks is the number of cells that rows look into in a division without a steering sample.
const plainLooks = 2 * job.Overlap

// foreseenMargin is the assumed standard error of recall before anything is measured.
const foreseenMargin = 0.0025

// plainReach is the reach without a steering sample.
const plainReach Reach = 0.3

// Reach returns the reach of the cells.
func (c *Course) Reach() Reach {
	if c.Foresight == nil {
		return plainReach
	}
	return c.Foresight.Reach
}

// Ended returns why rows look into no more cells; "" if they may. It ignores recall.
func (c *Course) Ended(s *job.State, g *job.Goal) string {
	done, looked := s.Count(job.DivisionStage), s.Last().Parts
	if g.Divisions > 0 && g.BallsDone(s) >= g.Divisions || g.Divisions == 0 && !g.Steered(s) && done > 0 || looked >= c.Cells {
		return fmt.Sprintf("each row looked into %d of %d balls", looked, c.Cells)
	}
	return ""
}

// Looks returns the number of cells that a row has looked into after the next division: those that the
// forecast needs for the target, or else a quarter more than now.
func (c *Course) Looks(s *job.State, g *job.Goal) int {
	last := s.Last()
	switch {
	case g.Divisions > 0:
		return min(last.Parts+g.OverlapOf(s.Count(job.DivisionStage)+1), c.Cells)
	case c.Foresight == nil:
		return min(plainLooks, c.Cells)
	}
	count, _ := c.Foresight.Cells(g.Wanted(cmp.Or(last.Margin, foreseenMargin)))
	if count <= last.Parts {
		count = last.Parts + max(last.Parts/4, 1)
	}
	return min(count, c.Cells)
}

// worth is the share of all pairs from which looking into cells costs more than comparing all pairs, since a
// looked-at pair serves only one of its rows. On 100,000 rows of normal values, looking at 0.95 of all pairs
// took 18 s of a core, comparing all pairs 11 s.
const worth = 0.6

// Dear reports, before rows look into any cell, whether all pairs cost no more than the looks that the target
// needs. Looks before a switch to all pairs would be wasted, so they are counted up to the recall that ends a
// build, which includes the standard error.
func (c *Course) Dear(s *job.State, g *job.Goal) bool {
	if c.Foresight == nil || g.Capped() || len(s.Stages) > 0 {
		return false
	}
	_, pairs := c.Foresight.CellsOf(g.Wanted)
	return pairs > worth*s.AllPairs(s.Rows)
}

// PaysNoLonger reports whether all pairs cost no more than the looks of one more division.
func (c *Course) PaysNoLonger(s *job.State, g *job.Goal) bool {
	if s.Count(job.DivisionStage) == 0 || g.Capped() || c.Cells == 0 {
		return false
	}
	pairs := float64(c.Looks(s, g))*float64(s.Rows)/float64(c.Cells) + float64(c.Cells)
	return pairs > worth*s.AllPairs(s.Rows)
}

// Foretold returns the forecast as a sentence; "" without a steering sample.
func (c *Course) Foretold(g *job.Goal) string {
	if c.Foresight == nil {
		return ""
	}
	count, pairs := c.Foresight.Cells(g.Wanted(0))
	return fmt.Sprintf("%d balls by length and direction: about %d of them, %.0f pairs a row, for recall %.3f", c.Cells, count, pairs, g.Recall)
}
