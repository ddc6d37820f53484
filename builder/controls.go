package builder

import (
	"fmt"

	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/union"
)

// controlShare is the part of a build's comparisons that controls may cost
// (CONTRACT). Half goes to the rows that steer, half to those that report.
const controlShare = 0.05

// guessDivisions stands for the divisions of a build that is not yet planned:
// image descriptors fall under the trigger after about so many.
const guessDivisions = 8

// ballPairs is about how many comparisons a row takes by the balls method, with
// leaders, in leaves and in joins; hardPairs where more than hardRecall is asked.
const (
	ballPairs  = 4500
	hardPairs  = 8000
	hardRecall = 0.97
)

// meanRecall is the mean recall of lists over the controls, whose exact lists
// never enter the graph.
func meanRecall(truth *recall.Lists, lists *union.Lists) float64 {
	var sum float64
	per := perRow(truth, lists)
	for _, x := range per {
		sum += x
	}
	return sum / float64(len(per))
}

// perRow is the recall of each control.
func perRow(truth *recall.Lists, lists *union.Lists) []float64 {
	per := make([]float64, len(truth.Places))
	for i, place := range truth.Places {
		ids, keys := lists.List(place)
		per[i] = truth.Recall(i, ids, keys)
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
	if r.state.Method == Balls {
		pairs = ballPairs
		if r.opts.Recall > hardRecall {
			pairs = hardPairs
		}
	}
	r.state.Steer = min(r.n(), max(1, int(controlShare/2*pairs)))
	steer, _ := recall.Disjoint(r.n(), r.state.Steer, 0, r.opts.Seed)
	p := r.begin("controls", "pairs", int64(len(steer))*int64(r.n()-1))
	defer p.end("")
	var err error
	r.steer, r.state.Control, err = r.exactly(r.placesOf(steer), p)
	return err
}

// exactly computes the exact lists of some places, and how many distances that
// took.
func (r *run) exactly(places []uint32, p *phase) (*recall.Lists, int64, error) {
	search := recall.Search{K: r.k, RowOf: r.order, Threads: r.opts.Threads, Progress: func(n int64) { p.add(int(n)) }}
	if r.codes != nil && r.codes.Exact() {
		return search.Codes(r.ctx, r.codes, places)
	}
	if r.opts.Distance == nil {
		return search.Rows(r.ctx, r.rows, r.space, places)
	}
	return search.Keys(r.ctx, r.n(), places, func() recall.Keys { return recall.Keys(r.keys()) })
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
	p := r.begin("recall", "pairs", int64(len(sample))*int64(r.n()-1))
	truth, evaluated, err := r.exactly(r.placesOf(sample), p)
	if err != nil {
		return err
	}
	mean, low, high := recall.Interval(perRow(truth, r.lists), r.n(), 1)
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
