package controls

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/builder/recall"
)

// guessDivisions stands for the divisions of a build that is not yet planned:
// image descriptors fall under the trigger after about so many.
const guessDivisions = 8

// Controls finds the exact lists of the rows that steer a build, and of those that report.
type Controls struct {
	*build.Build
	Visits int // of a row in propagation
}

// Steer computes the exact lists of the steering rows, where there are any.
func (c *Controls) Steer() error {
	if c.K == 0 || c.Traits.Complete && c.State.Steer == 0 || c.Goal.Recall == 0 || c.State.Stop != "" {
		return nil
	}
	if len(c.State.Stages) == 0 {
		c.State.Steer, c.State.Drawn = min(c.N(), c.steerers()), Drawn
	}
	if c.State.Drawn != Drawn && !c.Traits.ByShare {
		return ErrOther
	}
	if c.State.Steer == 0 { // as it was begun
		return nil
	}
	return c.steer(c.State.Steer, c.truth)
}

// Widen has so many rows steer.
func (c *Controls) Widen(rows int) error {
	c.State.Steer = rows
	whole := &points.Points{Space: c.Space, Own: c.Own, Threads: c.Job.Threads, Rows: c.Rows, Norms: c.Norms, Order: c.Order, K: c.K, Screening: c.Screening}
	whole.DropAxes() // these are codes of the search for candidates alone
	return c.steer(rows, func(places []uint32, p *progress.Phase) (*recall.Lists, int64, error) {
		return whole.Exact(c.Ctx, places, p.Add)
	})
}

type exactly func(places []uint32, p *progress.Phase) (lists *recall.Lists, compared int64, err error)

func (c *Controls) steer(rows int, exact exactly) error {
	p := c.Begin("controls", "pairs", int64(rows)*int64(c.N()-1))
	defer p.End("")
	lists, compared, err := exact(c.placesOf(Steering(c.N(), rows, c.Set.Seed)), p)
	if err != nil {
		return err
	}
	c.Build.Steer = c.counted(lists)
	c.State.Control += compared
	return nil
}

// truth computes the exact lists of some places, and how many distances that took.
func (c *Controls) truth(places []uint32, p *progress.Phase) (*recall.Lists, int64, error) {
	if c.Traits.InOrder {
		return c.ExactInOrder(c.Ctx, places, p.Add)
	}
	return c.Exact(c.Ctx, places, p.Add)
}

// steerers is how many rows are to steer. The paper's method, whose distances may be
// expensive, spends its share on them.
func (c *Controls) steerers() int {
	if !c.Traits.ByShare {
		return Rows
	}
	divisions := guessDivisions
	if c.Goal.Divisions > 0 {
		divisions = c.Goal.Divisions
	}
	return Share(float64(divisions*c.Set.LeafSize)/4 + float64(c.Visits))
}

// placesOf turns numbers among the good rows into places: samples are drawn
// from input rows, so that they do not depend on the order.
func (c *Controls) placesOf(sample []uint32) []uint32 {
	if c.Traits.InOrder {
		return sample
	}
	placeOf := c.PlaceOf(c.Source.Len())
	places := make([]uint32, len(sample))
	for i, at := range sample {
		places[i] = placeOf[c.Good[at]]
	}
	return places
}

// Report computes the exact lists of rows that steered nothing, after requested pairs, and how
// many distances that took.
func (c *Controls) Report(requested int64) (*recall.Lists, int64, error) {
	least := Rows
	if c.Own != nil {
		least = LeastReport
	}
	sample := Reporting(c.N(), c.State.Steer, least, requested, c.Set.Seed)
	p := c.Begin("recall", "pairs", int64(len(sample))*int64(c.N()-1))
	defer p.End("")
	lists, compared, err := c.truth(c.placesOf(sample), p)
	return c.counted(lists), compared, err
}

// counted has the recall of lists count all but the entries that are to spare.
func (c *Controls) counted(l *recall.Lists) *recall.Lists {
	if l != nil {
		l.K = min(l.K, c.Set.K-c.Set.Spare)
	}
	return l
}
