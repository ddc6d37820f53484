package builder

import (
	"fmt"
	"slices"

	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/union"
)

// controlShare is the part of a build's comparisons that controls may cost: measuring
// must not be what a build costs. Half goes to the rows that steer, half to those that
// report.
const controlShare = 0.05

// guessDivisions stands for the divisions of a build that is not yet planned:
// image descriptors fall under the trigger after about so many.
const guessDivisions = 8

// meanRecall is the mean recall of lists over the controls, whose exact lists
// never enter the graph.
func meanRecall(truths []*recall.Lists, lists *union.Lists) float64 {
	var sum float64
	var count int
	for _, truth := range truths {
		for _, x := range perRow(truth, lists) {
			sum += x
			count++
		}
	}
	return sum / float64(max(count, 1))
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

// control computes the exact lists of the steering rows, where there are any. The
// balls method begins with none: see growSteering.
func (r *run) control() error {
	if r.k == 0 || r.state.Method == Exact || r.opts.Recall == 0 || r.state.Stop != "" {
		return nil
	}
	if r.state.Method == Paper {
		divisions := guessDivisions
		if r.opts.Divisions > 0 {
			divisions = r.opts.Divisions
		}
		pairs := float64(divisions*r.opts.LeafSize)/4 + float64(r.opts.Visits)
		r.state.Steer = min(r.n(), max(1, int(controlShare/2*pairs)))
	}
	return r.steerBy(r.steering(r.state.Steer))
}

// steerBy computes the exact lists of more steering rows.
func (r *run) steerBy(rows []uint32) error {
	if len(rows) == 0 {
		return nil
	}
	p := r.begin("controls", "pairs", int64(len(rows))*int64(r.n()-1))
	defer p.End("")
	lists, compared, err := r.exactly(r.placesOf(rows), p)
	if err != nil {
		return err
	}
	r.steer = append(r.steer, lists)
	r.state.Control += compared
	return nil
}

// steerChunk is how many rows join the steering sample at a time, with balls.
const steerChunk = 8

// growStream is the first of the streams that chunks of steering rows are drawn
// from; they stay clear of those of other samples.
const growStream = 64

// steering lists the first rows that steer, among the good rows, ascending. With
// balls they come in chunks, each drawn apart from those before it.
func (r *run) steering(count int) (rows []uint32) {
	if r.state.Method == Paper {
		rows, _ = recall.Disjoint(r.n(), count, 0, r.opts.Seed)
		return rows
	}
	for chunk := uint64(0); len(rows) < count; chunk++ {
		rows = append(rows, recall.Apart(r.n(), rows, min(steerChunk, count-len(rows)), r.opts.Seed, growStream+chunk)...)
		slices.Sort(rows)
	}
	return rows
}

// growSteering lets the steering sample of the balls method grow with the build,
// so that it costs its share of the comparisons made so far, and at least two
// chunks; that of the parts method grows once, see steerParts.
func (r *run) growSteering(requested int64) error {
	if r.opts.Recall == 0 {
		return nil
	}
	chunks := int(controlShare/2*float64(requested)/float64(r.n())) / steerChunk
	want := min(steerChunk*max(chunks, 2), r.n())
	if want <= r.state.Steer {
		return nil
	}
	before, after := r.steering(r.state.Steer), r.steering(want)
	fresh := slices.DeleteFunc(after, func(row uint32) bool {
		_, known := slices.BinarySearch(before, row)
		return known
	})
	r.state.Steer = want
	return r.steerBy(fresh)
}

// placesOf turns numbers among the good rows into places: samples are drawn
// from input rows, so that they do not depend on the order.
func (r *run) placesOf(sample []uint32) []uint32 {
	if r.state.Method == Parts { // rows have their places in order
		return sample
	}
	placeOf := r.placeOf()
	places := make([]uint32, len(sample))
	for i, at := range sample {
		places[i] = placeOf[r.good[at]]
	}
	return places
}

// leastReport is how many rows report recall where their share of the comparisons
// is less: with fewer the interval says nothing.
const leastReport = 20

// measure reports recall on rows that steered nothing. Exact graphs need none.
func (r *run) measure(res *Result) error {
	res.Recall = RecallEstimate{Recall: 1, Low: 1, High: 1, Seed: r.opts.Seed}
	if r.k == 0 || r.state.Method == Exact {
		return nil
	}
	truth, err := r.reportTruth(res)
	if err == nil {
		r.tellRecall(res, truth, r.lists.List)
	}
	return err
}

// reportTruth computes the exact lists of the rows that report.
func (r *run) reportTruth(res *Result) (*recall.Lists, error) {
	budget := int(controlShare*float64(res.RequestedPairs)/float64(r.n())) - r.state.Steer
	sample := recall.Report(r.n(), r.steering(r.state.Steer), max(budget, leastReport), r.opts.Seed)
	if len(sample) == 0 {
		sample = recall.Report(r.n(), nil, r.n(), r.opts.Seed)
	}
	p := r.begin("recall", "pairs", int64(len(sample))*int64(r.n()-1))
	truth, evaluated, err := r.exactly(r.placesOf(sample), p)
	p.End("")
	res.ControlPairs += evaluated
	return truth, err
}

// tellRecall compares the lists of the rows that report with their exact ones.
func (r *run) tellRecall(res *Result, truth *recall.Lists, listOf func(place uint32) ([]uint32, []float32)) {
	per := make([]float64, len(truth.Places))
	for i, place := range truth.Places {
		ids, keys := listOf(place)
		per[i] = truth.Recall(i, ids, keys)
	}
	mean, low, high := recall.Interval(per, r.n(), 1)
	res.Recall = RecallEstimate{Recall: mean, Low: low, High: high, Sample: len(per), Seed: r.opts.Seed}
	r.say("recall %.4f (95 %% interval %.4f to %.4f, %d rows)", mean, low, high, len(per))
}

// steerNote tells the recall on the steering rows, where there are any.
func (r *run) steerNote() string {
	if r.steer == nil {
		return ""
	}
	return fmt.Sprintf(", recall %.3f on %d steering rows", r.state.last().Recall, r.state.Steer)
}
