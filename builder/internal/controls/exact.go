package controls

import (
	"slices"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/builder/recall"
)

// guessDivisions is the assumed number of divisions before a build is planned: image descriptors fall below
// the trigger after about so many.
const guessDivisions = 8

// Controls finds the exact lists of the steering rows and of the reporting rows.
type Controls struct {
	*build.Build
	Groups *copies.Groups
	Visits int // of a row in propagation
	Most   int // most rows of one group in a list; 0: any number

	groups *recall.Groups // if rows collapse
	looked looked
}

// Steer computes the exact lists of the steering rows, if there are any.
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
	if c.State.Steer == 0 { // the build began without steering rows
		return nil
	}
	return c.steer(c.State.Steer, c.truth)
}

// Widen sets the number of steering rows to rows.
func (c *Controls) Widen(rows int) error {
	c.State.Steer = rows
	return c.steer(rows, c.meanwhile)
}

// meanwhile is truth between two stages of a method.
func (c *Controls) meanwhile(places []uint32, p *progress.Phase) (*recall.Lists, int64, error) {
	whole := &points.Points{Space: c.Space, Own: c.Own, Threads: c.Job.Threads, Rows: c.Rows, Norms: c.Norms, Order: c.Order, K: c.K, Screening: c.Screening}
	whole.DropAxes() // codes along axes serve only the search for candidates
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

// truth returns the exact lists of some places, and the number of distances computed.
func (c *Controls) truth(places []uint32, p *progress.Phase) (*recall.Lists, int64, error) {
	if c.Traits.InOrder {
		return c.ExactInOrder(c.Ctx, places, p.Add)
	}
	return c.Exact(c.Ctx, places, p.Add)
}

// steerers returns the number of steering rows. The paper's method, whose distances may be expensive, uses
// its share.
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

// placesOf converts numbers in a sample into places. Samples are drawn from input rows, so that they do not
// depend on the order.
func (c *Controls) placesOf(sample []uint32) []uint32 {
	if c.Traits.InOrder {
		return sample
	}
	placeOf, rows := c.PlaceOf(c.Source.Len()), c.Good
	if c.Groups.Len() > 0 { // rows solved in place of their copies: one may occur for several rows of the sample
		rows = c.Groups.Solved(c.Build)
	}
	places := make([]uint32, len(sample))
	for i, at := range sample {
		places[i] = placeOf[rows[at]]
	}
	return places
}

// all returns the number of rows to draw from, including copies of others.
func (c *Controls) all() int { return c.N() + c.Groups.Len() }

// drawn returns the version of the way in which steering rows are drawn.
func (c *Controls) drawn() int {
	if c.Groups.Len() > 0 {
		return DrawnOfAll
	}
	return Drawn
}

// steering returns the steering rows of the present state.
func (c *Controls) steering() []uint32 {
	return joined(c.all(), c.State.FirstSteer(), c.State.Joined(), c.Set.Seed)
}

// reporting returns the reporting rows after the stages so far. It does not count the pairs that complete
// short lists, so the sample is the same before and after the build stops.
func (c *Controls) reporting() []uint32 {
	least := Rows
	if c.Own != nil {
		least = LeastReport
	}
	return draw(c.all(), c.steering(), len(c.State.Joined()), least, c.State.Sums().Requested, c.Set.Seed)
}

// Report returns the exact lists of rows that steered nothing, and the number of distances computed.
func (c *Controls) Report() (*recall.Lists, int64, error) {
	return c.report(c.reporting(), c.truth)
}

// report is Report for a given sample. It keeps the latest result.
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

// counted lets the recall of lists ignore the spare entries; if rows collapse, it becomes the recall of the
// lists of all rows.
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
