package builder

import (
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/union"
)

// Whether codes can tell. Codes have one step for all rows and axes; what lies within a step
// or so of each other is a tie to them, and lists keep k candidates and a few. So the recall
// of a build by codes has a ceiling, which data decide: of image descriptors 0.999, of
// islands of very different scale 0.3. It is measured, on rows whose exact lists are there
// already: what would a list hold of them that had met all rows?

// sightRows is how many of the rows that steer tell the ceiling at first; all of them do where
// those leave it open.
const sightRows = 64

// sightLoss is the share of what a target leaves to be missed that codes may lose.
const sightLoss = 0.5

// sight settles by what means rows are compared, before the first stage. near finds the
// candidates of some places that lists by codes would hold.
func (r *run) sight(near candidatesOf) error {
	if r.steer == nil || len(r.State.Stages) > 0 || r.State.ByKeys() || r.opts.Course.AllAxes || r.BytesAreKeys() {
		return nil
	}
	blind, err := r.codesAreBlind(near)
	if err != nil {
		return err
	}
	if !blind {
		r.Say("codes can tell %.4f of the neighbors", r.State.Ceiling)
		return nil
	}
	r.Say("codes can tell %.4f of the neighbors at most: rows are compared by their keys", r.State.Ceiling)
	if r.State.AllPairs(r.N()) <= job.KeyedPairs && !r.Goal.Capped() {
		r.State.Side = r.exactSide()
		return r.takeExact(r.method)
	}
	r.State.Means = job.ByKeys
	return r.Save()
}

type candidatesOf func(places []uint32) ([][]uint32, error)

// codesAreBlind measures the ceiling, and reports whether it is too low.
func (r *run) codesAreBlind(near candidatesOf) (bool, error) {
	p := r.Begin("sight", "", 0)
	defer p.End("")
	ceiling, blind, err := ceilingOf(len(r.steer.Places), r.opts.Recall, func(count int) ([]float64, error) {
		lists, err := near(r.steer.Places[:count])
		if err != nil {
			return nil, err
		}
		per := make([]float64, count)
		for i := range per {
			per[i] = r.tellable(i, lists[i])
		}
		return per, nil
	})
	r.State.Ceiling = ceiling
	return blind, err
}

// ceilingOf measures the ceiling on the first of some rows that steer, or on all of them, and
// reports whether it is too low for a target.
func ceilingOf(rows int, target float64, perRow func(count int) ([]float64, error)) (ceiling float64, blind bool, err error) {
	least := 1 - sightLoss*(1-target)
	for _, count := range []int{min(sightRows, rows), rows} {
		per, err := perRow(count)
		if err != nil {
			return ceiling, false, err
		}
		mean, margin := meanOf(per)
		if ceiling = mean; mean-2*margin >= least {
			return ceiling, false, nil
		}
	}
	return ceiling, ceiling < least, nil
}

// tellable is the recall of the list of steering row i from its candidates.
func (r *run) tellable(i int, near []uint32) float64 {
	place := r.steer.Places[i]
	near = slices.DeleteFunc(near, func(id uint32) bool { return id == place })
	list := union.New(1, r.K, nil)
	defer list.Free()
	row := r.Rows.Row(int(place))
	for _, id := range near {
		other := r.Rows.Row(int(id))
		list.Offer(0, id, r.Space.Key(row, other, r.Space.Norm(row), r.Space.Norm(other)))
	}
	ids, keys := list.List(0)
	return r.steer.Recall(i, ids, keys)
}

func (m *ballsMethod) candidatesByCodes(places []uint32) ([][]uint32, error) {
	return m.nearByCodes(m.Codes, places, m.candidatesK())
}
