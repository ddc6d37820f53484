package inner

import (
	"cmp"
	"fmt"

	"github.com/knng/knng/builder/internal/job"
)

// A Course decides into how many cells rows look. A division of a build has every row look into
// some more of them. Of the rows that steer the exact lists are known, so how many it takes is
// known before the first one.
type Course struct {
	Cells     int
	Foresight *Foresight // nil: nothing steers
}

// plainLooks is into how many cells rows look in a division where nothing steers.
const plainLooks = 2 * job.Overlap

// foreseenMargin stands for the standard error of recall on rows of which nothing is known yet.
const foreseenMargin = 0.0025

// plainReach is the reach of cells where nothing steers.
const plainReach Reach = 0.3

// Reach is that of the cells.
func (c *Course) Reach() Reach {
	if c.Foresight == nil {
		return plainReach
	}
	return c.Foresight.Reach
}

// Ended says why rows look into no more cells; "" where they may. Recall is not looked at.
func (c *Course) Ended(s *job.State, g *job.Goal) string {
	done, looked := s.Count(job.DivisionStage), s.Last().Parts
	if g.Divisions > 0 && g.BallsDone(s) >= g.Divisions || g.Divisions == 0 && !g.Steered(s) && done > 0 || looked >= c.Cells {
		return fmt.Sprintf("each row looked into %d of %d balls", looked, c.Cells)
	}
	return ""
}

// Looks is into how many cells a row will have looked after the next division: as many as
// the target asks for by the foreseen recall, and else a quarter more than before.
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

// worth is the share of all pairs that rows look at for which all pairs take no longer:
// looked at, a pair is compared for one of its rows. Of 100,000 rows of normal values, 0.95 of
// all pairs took 18 s of a core, and all pairs 11.
const worth = 0.6

// Dear reports, before rows look into any cell, whether all pairs take no longer than the looks
// that the target asks for. Looks made before are lost if they follow: the looks end at the
// target and the standard error of the recall then, and not at the target.
func (c *Course) Dear(s *job.State, g *job.Goal) bool {
	if c.Foresight == nil || g.Capped() || len(s.Stages) > 0 {
		return false
	}
	_, pairs := c.Foresight.CellsOf(g.Wanted)
	return pairs > worth*s.AllPairs(s.Rows)
}

// PaysNoLonger reports, where more looks are to come, whether all pairs take no longer.
func (c *Course) PaysNoLonger(s *job.State, g *job.Goal) bool {
	if s.Count(job.DivisionStage) == 0 || g.Capped() || c.Cells == 0 {
		return false
	}
	pairs := float64(c.Looks(s, g))*float64(s.Rows)/float64(c.Cells) + float64(c.Cells)
	return pairs > worth*s.AllPairs(s.Rows)
}

// Foretold tells the divisions that recall asks for, for people; "" where nothing steers.
func (c *Course) Foretold(g *job.Goal) string {
	if c.Foresight == nil {
		return ""
	}
	count, pairs := c.Foresight.Cells(g.Wanted(0))
	return fmt.Sprintf("%d balls by length and direction: about %d of them, %.0f pairs a row, for recall %.3f", c.Cells, count, pairs, g.Recall)
}
