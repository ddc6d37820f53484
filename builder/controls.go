package builder

import (
	"fmt"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
)

// controlShare is the part of a build's comparisons that controls may cost where distances
// are expensive: measuring must not dominate a build. Half goes to the rows that
// steer, half to those that report.
const controlShare = 0.05

// controlRows is how many rows steer, and how many report, where kernels compare them with
// all others: in tiles a pair costs a fraction of one that is joined. Recall then has a
// standard error of 0.005 at 0.95, and a build that asks for half of that more stops
// between its target and 0.02 above it four times of five. With the twentieth of its
// comparisons, forty rows, MNIST stopped at 0.974 where 0.90 was asked; with four times as
// many rows the error is half of this, and controls are a tenth of a build's time.
const controlRows = 256

// guessDivisions stands for the divisions of a build that is not yet planned:
// image descriptors fall under the trigger after about so many.
const guessDivisions = 8

// control computes the exact lists of the steering rows, where there are any.
func (r *run) control() error {
	if r.K == 0 || r.traits.complete && r.State.Steer == 0 || r.opts.Recall == 0 || r.State.Stop != "" {
		return nil
	}
	if len(r.State.Stages) == 0 {
		r.State.Steer, r.State.Drawn = min(r.N(), r.opts.steerers(r.traits.byShare)), steeringDrawn
	}
	if r.State.Drawn != steeringDrawn && !r.traits.byShare {
		return errOtherSteering
	}
	if r.State.Steer == 0 { // as it was begun
		return nil
	}
	p := r.Begin("controls", "pairs", int64(r.State.Steer)*int64(r.N()-1))
	defer p.End("")
	lists, compared, err := r.truth(r.placesOf(steering(r.N(), r.State.Steer, r.opts.Seed)), p)
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
	lists, compared, err := whole.Exact(r.Ctx, r.placesOf(steering(r.N(), rows, r.opts.Seed)), p.Add)
	if err != nil {
		return err
	}
	r.Steer = lists
	r.State.Control += compared
	return nil
}

// truth computes the exact lists of some places, and how many distances that took.
func (r *run) truth(places []uint32, p *phase) (*recall.Lists, int64, error) {
	if r.traits.inOrder {
		return r.ExactInOrder(r.Ctx, places, p.Add)
	}
	return r.Exact(r.Ctx, places, p.Add)
}

// steeringDrawn is how rows that steer are drawn now: all at once. Balls and parts drew
// them a few at a time before.
const steeringDrawn = 2

// errOtherSteering refuses to go on with a build of a version that drew other rows to steer
// by: the recall that its stages found is of those.
var errOtherSteering = fmt.Errorf("%w: it was begun by a version that was steered by other rows: begin anew", store.ErrMismatch)

// steerers is how many rows are to steer. The paper's method, whose distances may be
// expensive, spends its share on them.
func (o *Options) steerers(byShare bool) int {
	if !byShare {
		return controlRows
	}
	divisions := guessDivisions
	if o.Divisions > 0 {
		divisions = o.Divisions
	}
	pairs := float64(divisions*o.LeafSize)/4 + float64(o.Visits)
	return max(1, int(controlShare/2*pairs))
}

// steering lists which of n rows steer, ascending.
func steering(n, steer int, seed uint64) []uint32 {
	rows, _ := recall.Disjoint(n, steer, 0, seed)
	return rows
}

// placesOf turns numbers among the good rows into places: samples are drawn
// from input rows, so that they do not depend on the order.
func (r *run) placesOf(sample []uint32) []uint32 {
	if r.traits.inOrder {
		return sample
	}
	placeOf := r.PlaceOf(r.outputRows())
	places := make([]uint32, len(sample))
	for i, at := range sample {
		places[i] = placeOf[r.Good[at]]
	}
	return places
}

// leastReport is how many rows report recall where their share of the comparisons
// is less, and a distance of the user's own is expensive: with fewer the interval says
// nothing.
const leastReport = 20

// measure reports recall on rows that steered nothing. Exact graphs need none.
func (r *run) measure(res *Result) error {
	res.Recall = RecallEstimate{Recall: 1, Low: 1, High: 1, Seed: r.opts.Seed}
	if r.K == 0 || r.traits.complete && !r.State.Cut() {
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
	least := controlRows
	if r.opts.Distance != nil {
		least = leastReport
	}
	sample := reporting(r.N(), r.State.Steer, least, res.RequestedPairs, r.opts.Seed)
	p := r.Begin("recall", "pairs", int64(len(sample))*int64(r.N()-1))
	truth, evaluated, err := r.truth(r.placesOf(sample), p)
	p.End("")
	res.ControlPairs += evaluated
	return truth, err
}

// reporting lists which of n rows report recall, at least so many, after requested pairs.
func reporting(n, steer, least int, requested int64, seed uint64) []uint32 {
	budget := int(controlShare*float64(requested)/float64(n)) - steer
	sample := recall.Report(n, steering(n, steer, seed), max(budget, least), seed)
	if len(sample) < min(least, n) { // there are so few rows that all of them can tell
		sample = recall.Report(n, nil, n, seed)
	}
	return sample
}

// tellRecall compares the lists of the rows that report with their exact ones.
func (r *run) tellRecall(res *Result, truth *recall.Lists, listOf func(place uint32) ([]uint32, []float32)) {
	per := build.PerRow(truth, listOf)
	mean, low, high := recall.Interval(per, r.N(), 1)
	res.Recall = RecallEstimate{Recall: mean, Low: low, High: high, Sample: len(per), Seed: r.opts.Seed}
	r.Say("recall %.4f (95 %% interval %.4f to %.4f, %d rows)", mean, low, high, len(per))
}
