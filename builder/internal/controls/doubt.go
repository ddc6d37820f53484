package controls

import (
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/recall"
)

// The rows that steer decide when a build stops, so the recall on them is somewhat above that of all
// rows when it does. Now and then it is far above, and the rows that report are below the target with
// their whole interval, or so far that all known rows together are well below it. Such a build goes on: these rows steer too, and others report.

// looked is the latest sample that recall was measured on, and its exact lists.
type looked struct {
	rows     []uint32
	lists    *recall.Lists
	compared int64
}

// mostSteer is the share of the rows that may steer and report, for others to take their place.
const mostSteer = 0.25

// Doubt reports, where a build is about to stop, whether the interval of the rows that will report
// recall is below the target, by the lists so far, or the mean of them and of those that steer is well below it.
func (c *Controls) Doubt(stop string) (bool, error) {
	if stop == "" || c.K == 0 || c.Traits.InOrder || !c.Goal.Doubts(&c.State, stop) {
		return false, nil
	}
	sample := c.reporting()
	if float64(c.State.Steer+2*len(sample)) > mostSteer*float64(c.all()) {
		return false, nil
	}
	truth, _, err := c.report(sample, c.meanwhile)
	if err != nil {
		return false, err
	}
	per, err := c.Method.Recalls(truth)
	if err != nil {
		return false, err
	}
	mean, _, high := recall.Interval(per, c.all(), c.Looks())
	return high < c.Goal.Recall || c.together(mean, len(per)) < c.Goal.Recall-wellBelow*(1-c.Goal.Recall), nil
}

// Known rows are well below the target if they miss more than it allows by the share wellBelow of that. 256 rows of
// 50,000 connections, most of them copies, said 0.994 when 0.99 were asked, and those that report 0.983 (0.961 to 0.992): of
// all rows it was 0.984. With no such share one of ten builds would go on, as rows that end a build say too much.
const wellBelow = 0.1

// together is the mean recall of the rows that steer and of others.
func (c *Controls) together(mean float64, rows int) float64 {
	steer := c.State.Steer
	return (c.State.Last().Recall*float64(steer) + mean*float64(rows)) / float64(steer+rows)
}

// Looks is how many samples were drawn to report, with the latest: those before it were below the target, or well below it with the rows that steered,
// and the interval of the latest allows for it.
func (c *Controls) Looks() int { return 1 + c.State.Count(job.JoinStage) }

// Join has the rows of the latest doubt steer too.
func (c *Controls) Join() error {
	steer, more := c.Build.Steer, c.looked.lists
	both := recall.ListsOf(slices.Concat(steer.Places, more.Places), c.K, func(i int) ([]uint32, []float32) {
		if i < len(steer.Places) {
			return steer.List(i)
		}
		return more.List(i - len(steer.Places))
	})
	both.Alike = more.Alike
	c.Build.Steer = c.counted(both)
	c.State.Steer += len(more.Places)
	c.State.Control += c.looked.compared
	c.looked = looked{}
	return nil
}
