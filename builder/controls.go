package builder

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/recall"
)

// guessDivisions stands for the divisions of a build that is not yet planned:
// image descriptors fall under the trigger after about so many.
const guessDivisions = 8

// control computes the exact lists of the steering rows, where there are any.
func (r *run) control() error {
	if r.K == 0 || r.Traits.Complete && r.State.Steer == 0 || r.opts.Recall == 0 || r.State.Stop != "" {
		return nil
	}
	if len(r.State.Stages) == 0 {
		r.State.Steer, r.State.Drawn = min(r.N(), r.opts.steerers(r.Traits.ByShare)), controls.Drawn
	}
	if r.State.Drawn != controls.Drawn && !r.Traits.ByShare {
		return controls.ErrOther
	}
	if r.State.Steer == 0 { // as it was begun
		return nil
	}
	p := r.Begin("controls", "pairs", int64(r.State.Steer)*int64(r.N()-1))
	defer p.End("")
	lists, compared, err := r.truth(r.placesOf(controls.Steering(r.N(), r.State.Steer, r.opts.Seed)), p)
	if err != nil {
		return err
	}
	r.Steer = lists
	r.State.Control += compared
	return nil
}

// widen has so many rows steer.
func (r *run) widen(rows int) error {
	r.State.Steer = rows
	p := r.Begin("controls", "pairs", int64(rows)*int64(r.N()-1))
	defer p.End("")
	whole := &points.Points{Space: r.Space, Own: r.Own, Threads: r.Job.Threads, Rows: r.Rows, Norms: r.Norms, Order: r.Order, K: r.K, Screening: r.Screening}
	whole.DropAxes() // these are codes of the search for candidates alone
	lists, compared, err := whole.Exact(r.Ctx, r.placesOf(controls.Steering(r.N(), rows, r.opts.Seed)), p.Add)
	if err != nil {
		return err
	}
	r.Steer = lists
	r.State.Control += compared
	return nil
}

// truth computes the exact lists of some places, and how many distances that took.
func (r *run) truth(places []uint32, p *phase) (*recall.Lists, int64, error) {
	if r.Traits.InOrder {
		return r.ExactInOrder(r.Ctx, places, p.Add)
	}
	return r.Exact(r.Ctx, places, p.Add)
}

// steerers is how many rows are to steer. The paper's method, whose distances may be
// expensive, spends its share on them.
func (o *Options) steerers(byShare bool) int {
	if !byShare {
		return controls.Rows
	}
	divisions := guessDivisions
	if o.Divisions > 0 {
		divisions = o.Divisions
	}
	pairs := float64(divisions*o.LeafSize)/4 + float64(o.Visits)
	return controls.Share(pairs)
}

// placesOf turns numbers among the good rows into places: samples are drawn
// from input rows, so that they do not depend on the order.
func (r *run) placesOf(sample []uint32) []uint32 {
	if r.Traits.InOrder {
		return sample
	}
	placeOf := r.PlaceOf(r.outputRows())
	places := make([]uint32, len(sample))
	for i, at := range sample {
		places[i] = placeOf[r.Good[at]]
	}
	return places
}

// measure reports recall on rows that steered nothing. Exact graphs need none.
func (r *run) measure(res *Result) error {
	res.Recall = RecallEstimate{Recall: 1, Low: 1, High: 1, Seed: r.opts.Seed}
	if r.K == 0 || r.Traits.Complete && !r.State.Cut() {
		return nil
	}
	truth, err := r.reportTruth(res)
	if err == nil {
		r.tellRecall(res, truth, r.Lists.List)
	}
	return err
}

// reportTruth computes the exact lists of the rows that report.
func (r *run) reportTruth(res *Result) (*recall.Lists, error) {
	least := controls.Rows
	if r.opts.Distance != nil {
		least = controls.LeastReport
	}
	sample := controls.Reporting(r.N(), r.State.Steer, least, res.RequestedPairs, r.opts.Seed)
	p := r.Begin("recall", "pairs", int64(len(sample))*int64(r.N()-1))
	truth, evaluated, err := r.truth(r.placesOf(sample), p)
	p.End("")
	res.ControlPairs += evaluated
	return truth, err
}

// tellRecall compares the lists of the rows that report with their exact ones.
func (r *run) tellRecall(res *Result, truth *recall.Lists, listOf func(place uint32) ([]uint32, []float32)) {
	per := build.PerRow(truth, listOf)
	mean, low, high := recall.Interval(per, r.N(), 1)
	res.Recall = RecallEstimate{Recall: mean, Low: low, High: high, Sample: len(per), Seed: r.opts.Seed}
	r.Say("recall %.4f (95 %% interval %.4f to %.4f, %d rows)", mean, low, high, len(per))
}
