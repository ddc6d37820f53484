package controls

import (
	"slices"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/copies"
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
	Groups *copies.Groups
	Visits int // of a row in propagation
	Most   int // rows of one group in a list; 0: any number

	groups *recall.Groups // where rows collapse
	looked looked
}

// Steer computes the exact lists of the steering rows, where there are any.
func (c *Controls) Steer() error {
	if c.K == 0 || c.Traits.Complete && c.State.Steer == 0 || c.Goal.Recall == 0 || c.State.Stop != "" {
		return nil
	}
	if len(c.State.Stages) == 0 {
		c.State.Steer, c.State.Drawn = min(c.all(), c.steerers()), c.drawn()
	}
	if c.State.Drawn != c.drawn() && (!c.Traits.ByShare || c.Groups.Len() > 0) {
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
	return c.steer(rows, c.meanwhile)
}

// meanwhile is truth between the stages of a method.
func (c *Controls) meanwhile(places []uint32, p *progress.Phase) (*recall.Lists, int64, error) {
	whole := &points.Points{Space: c.Space, Own: c.Own, Threads: c.Job.Threads, Rows: c.Rows, Norms: c.Norms, Order: c.Order, K: c.K, Screening: c.Screening}
	whole.DropAxes() // these are codes of the search for candidates alone
	return whole.Exact(c.Ctx, places, p.Add)
}

type exactly func(places []uint32, p *progress.Phase) (lists *recall.Lists, compared int64, err error)

func (c *Controls) steer(rows int, exact exactly) error {
	p := c.Begin("controls", "pairs", int64(rows)*int64(c.N()-1))
	defer p.End("")
	lists, compared, err := exact(c.placesOf(c.steering()), p)
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

// placesOf turns numbers among the rows that are drawn from into places: samples are drawn
// from input rows, so that they do not depend on the order.
func (c *Controls) placesOf(sample []uint32) []uint32 {
	if c.Traits.InOrder {
		return sample
	}
	placeOf, rows := c.PlaceOf(c.Source.Len()), c.Good
	if c.Groups.Len() > 0 { // those that were solved for them, of which some may be of several rows of the sample
		rows = c.Groups.Solved(c.Build)
	}
	places := make([]uint32, len(sample))
	for i, at := range sample {
		places[i] = placeOf[rows[at]]
	}
	return places
}

// all is how many rows are drawn from: copies of others as well as those that are solved for them.
func (c *Controls) all() int { return c.N() + c.Groups.Len() }

// drawn is how the rows that steer are drawn.
func (c *Controls) drawn() int {
	if c.Groups.Len() > 0 {
		return DrawnOfAll
	}
	return Drawn
}

// steering lists the rows that steer by the state.
func (c *Controls) steering() []uint32 {
	return joined(c.all(), c.State.FirstSteer(), c.State.Joined(), c.Set.Seed)
}

// reporting lists the rows that report after the stages so far. Pairs that complete short lists do not
// count: it is the same sample before the build stops and afterwards.
func (c *Controls) reporting() []uint32 {
	least := Rows
	if c.Own != nil {
		least = LeastReport
	}
	return draw(c.all(), c.steering(), len(c.State.Joined()), least, c.State.Sums().Requested, c.Set.Seed)
}

// Report computes the exact lists of rows that steered nothing, and how many distances that took.
func (c *Controls) Report() (*recall.Lists, int64, error) {
	return c.report(c.reporting(), c.truth)
}

// report is Report of a sample. Those of the latest one are kept.
func (c *Controls) report(sample []uint32, exact exactly) (*recall.Lists, int64, error) {
	if c.looked.lists != nil && slices.Equal(sample, c.looked.rows) {
		return c.looked.lists, c.looked.compared, nil
	}
	p := c.Begin("recall", "pairs", int64(len(sample))*int64(c.N()-1))
	defer p.End("")
	lists, compared, err := exact(c.placesOf(sample), p)
	if err != nil {
		return nil, 0, err
	}
	c.looked = looked{sample, c.counted(lists), compared}
	return c.looked.lists, compared, nil
}

// counted has the recall of lists count all but the entries that are to spare, and where rows collapse that of the lists
// of all rows.
func (c *Controls) counted(l *recall.Lists) *recall.Lists {
	if l == nil {
		return l
	}
	l.K = min(l.K, c.Set.K-c.Set.Spare)
	if c.Groups.Len() == 0 {
		return l
	}
	if c.groups == nil {
		c.groups = &recall.Groups{Sizes: c.Groups.Sizes(c.Build), K: min(c.Set.K-c.Set.Spare, c.all()-1), Most: c.Most}
	}
	l.InGroups(c.groups, c.Self)
	return l
}
