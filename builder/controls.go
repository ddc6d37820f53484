package builder

import (
	"fmt"
	"sync/atomic"

	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/union"
)

// controlShare is the part of a build's comparisons that controls may cost
// (CONTRACT). Half goes to the rows that steer, half to those that report.
const controlShare = 0.05

// guessDivisions stands for the divisions of a build that is not yet planned:
// image descriptors fall under the trigger after about so many.
const guessDivisions = 8

// controls are places whose exact lists are known. The exact lists never enter
// the graph.
type controls struct {
	places []uint32
	truth  *union.Lists // list i belongs to places[i]
}

// recall is the mean recall of lists over the controls.
func (c *controls) recall(lists *union.Lists) float64 {
	var sum float64
	per := c.perRow(lists)
	for _, x := range per {
		sum += x
	}
	return sum / float64(len(per))
}

// perRow is the share of each control's k nearest found: neighbors at most as
// far as its true k-th, ties accepted.
func (c *controls) perRow(lists *union.Lists) []float64 {
	per := make([]float64, len(c.places))
	for i, place := range c.places {
		bound := c.truth.Worst(uint32(i))
		_, keys := lists.List(place)
		for _, key := range keys {
			if key <= bound {
				per[i]++
			}
		}
		per[i] /= float64(lists.K)
	}
	return per
}

// control computes the exact lists of the steering rows, where there are any.
func (r *run) control() error {
	if r.k == 0 || r.state.Method == Exact || r.opts.Recall == 0 || r.state.Stop != "" {
		return nil
	}
	divisions := guessDivisions
	if r.opts.Divisions > 0 {
		divisions = r.opts.Divisions
	}
	pairs := float64(divisions*r.opts.LeafSize)/4 + float64(r.opts.Visits)
	r.state.Steer = min(r.n(), max(1, int(controlShare/2*pairs)))
	steer, _ := recall.Disjoint(r.n(), r.state.Steer, 0, r.opts.Seed)
	p := r.begin("controls", "rows", int64(len(steer)))
	defer p.end("")
	c, evaluated, err := r.exactly(steer, p)
	r.steer = c
	r.state.Control = evaluated
	return err
}

// exactly compares rows, given by their number among the rows with a list, with
// all others.
func (r *run) exactly(sample []uint32, p *phase) (*controls, int64, error) {
	c := &controls{places: r.placesOf(sample), truth: union.New(len(sample), r.k, r.order)}
	all := make([]uint32, r.n())
	for i := range all {
		all[i] = uint32(i)
	}
	errs := make([]error, len(sample))
	var evaluated atomic.Int64
	parallel(r.opts.Threads, len(sample), 1, func(i, _ int) {
		n, err := r.scan(c.places[i], all, func(id uint32, key float32) { c.truth.Offer(uint32(i), id, key) })
		evaluated.Add(int64(n))
		errs[i] = err
		p.add(1)
	})
	return c, evaluated.Load(), firstError(errs)
}

// placesOf turns numbers among the good rows into places: samples are drawn
// from input rows, so that they do not depend on the order.
func (r *run) placesOf(sample []uint32) []uint32 {
	placeOf := r.placeOf()
	places := make([]uint32, len(sample))
	for i, at := range sample {
		places[i] = placeOf[r.good[at]]
	}
	return places
}

// measure reports recall on rows that steered nothing. Exact graphs need none.
func (r *run) measure(res *Result) error {
	res.Recall = RecallEstimate{Recall: 1, Low: 1, High: 1, Seed: r.opts.Seed}
	if r.k == 0 || r.state.Method == Exact {
		return nil
	}
	budget := int(controlShare*float64(res.RequestedPairs)/float64(r.n())) - r.state.Steer
	_, sample := recall.Disjoint(r.n(), r.state.Steer, min(max(budget, 2), r.n()-r.state.Steer), r.opts.Seed)
	if len(sample) == 0 {
		_, sample = recall.Disjoint(r.n(), 0, r.n(), r.opts.Seed)
	}
	p := r.begin("recall", "rows", int64(len(sample)))
	c, evaluated, err := r.exactly(sample, p)
	if err != nil {
		return err
	}
	mean, low, high := recall.Interval(c.perRow(r.lists), r.n(), 1)
	res.Recall = RecallEstimate{Recall: mean, Low: low, High: high, Sample: len(sample), Seed: r.opts.Seed}
	res.ControlPairs += evaluated
	p.end("recall %.4f (95 %% interval %.4f to %.4f, %d rows)", mean, low, high, len(sample))
	return nil
}

// steerNote tells the recall on the steering rows, where there are any.
func (r *run) steerNote() string {
	if r.steer == nil {
		return ""
	}
	return fmt.Sprintf(", recall %.3f on %d steering rows", r.state.last().Recall, r.state.Steer)
}
