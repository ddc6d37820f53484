package build

import (
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/knn"
)

// Codes have one scale for all rows and axes. Neighbors at almost the same distance tie by codes, and lists
// hold only a few more candidates than k. So the recall of a build by codes has a ceiling, which depends on
// the data: 0.999 on image descriptors, 0.3 on islands of very different scale. It is measured on the
// steering rows, which have exact lists: it is the recall of the list that such a row has after meeting all
// others by codes.

// sightRows is the number of steering rows that measure the ceiling first; if they leave it open, all of them
// do.
const sightRows = 64

// sightLoss is the share of the neighbors that a target may miss that codes may lose.
const sightLoss = 0.5

// ledByCodes is the ceiling from which, if all pairs are many, codes make lists until they stop paying, and
// keys continue from these (Goal.OrTurn). On a tree's 107,524 nodes in 256 dimensions the ceiling is 0.982;
// for 0.99, seven divisions by keys alone reached 0.79, three by keys after four by codes 0.984.
const ledByCodes = 0.97

// Sight decides before the first stage whether rows are compared by codes or by keys. near returns the
// candidates that lists by codes would hold at some places.
func (b *Build) Sight(near candidatesOf) error {
	if b.Steer == nil || len(b.State.Stages) > 0 || b.State.ByKeys() || b.Set.AllAxes || b.BytesAreKeys() {
		return nil
	}
	blind, err := b.codesAreBlind(near)
	if err != nil {
		return err
	}
	if !blind {
		b.Say("codes can tell %.4f of the neighbors", b.State.Ceiling)
		return nil
	}
	least, led := b.Goal.Keyed(), b.State.Ceiling >= ledByCodes
	if led && b.State.Ceiling < b.Goal.Recall {
		least += b.leadPairs()
	}
	many := b.State.AllPairs(b.N()) > least
	if many && led {
		b.Say("codes can tell %.4f of the neighbors at most: keys go on from the lists that codes make", b.State.Ceiling)
		return nil
	}
	b.Say("codes can tell %.4f of the neighbors at most: rows are compared by their keys", b.State.Ceiling)
	if !many && !b.Goal.Capped() {
		return b.ExactInstead()
	}
	b.State.Means = job.ByKeys
	return b.Save()
}

// leadPairs returns the pairs per row that divisions by codes are expected to take before keys continue. They
// count if the ceiling is below the target: on 60,000 rows, most of them in one cluster, the ceiling is
// 0.988; for 0.99 half of all pairs by codes reached 0.976, and 0.7 of all pairs followed.
func (b *Build) leadPairs() float64 {
	if b.State.Expected == nil || b.Goal.Capped() {
		return 0
	}
	return float64(b.State.Expected.Divisions) * float64(min(b.Set.LeafSize, b.N())) / 2
}

type candidatesOf func(places []uint32) ([][]uint32, error)

// codesAreBlind measures the ceiling, and reports whether it is too low.
func (b *Build) codesAreBlind(near candidatesOf) (bool, error) {
	p := b.Begin("sight", "", 0)
	defer p.End("")
	ceiling, blind, err := CeilingOf(len(b.Steer.Places), b.Set.Recall, func(some []int) ([]float64, error) {
		places := make([]uint32, len(some))
		for i, at := range some {
			places[i] = b.Steer.Places[at]
		}
		lists, err := near(places)
		if err != nil {
			return nil, err
		}
		per := make([]float64, len(some))
		for i, at := range some {
			per[i] = b.tellable(at, lists[i])
		}
		return per, nil
	})
	b.State.Ceiling = ceiling
	return blind, err
}

// CeilingOf measures the ceiling on some or all of the steering rows, and reports whether it is too low for a
// target. Steering rows are numbered in the order of the input, and the first ones measured are spread
// evenly: in sorted input the first rows would be of one kind.
func CeilingOf(rows int, target float64, perRow func(some []int) ([]float64, error)) (ceiling float64, blind bool, err error) {
	least := 1 - sightLoss*(1-target)
	for _, count := range []int{min(sightRows, rows), rows} {
		some := make([]int, count)
		for i := range some {
			some[i] = i * rows / count
		}
		per, err := perRow(some)
		if err != nil {
			return ceiling, false, err
		}
		mean, margin := MeanOf(per)
		if ceiling = mean; mean-2*margin >= least {
			return ceiling, false, nil
		}
	}
	return ceiling, ceiling < least, nil
}

// tellable returns the recall of the list of steering row i made from its candidates.
func (b *Build) tellable(i int, near []uint32) float64 {
	place := b.Steer.Places[i]
	near = slices.DeleteFunc(near, func(id uint32) bool { return id == place })
	list := knn.New(1, b.K, nil)
	defer list.Free()
	row := b.Rows.Row(int(place))
	for _, id := range near {
		other := b.Rows.Row(int(id))
		list.Offer(0, id, b.Space.Key(row, other, b.Space.Norm(row), b.Space.Norm(other)))
	}
	ids, keys := list.List(0)
	return b.Steer.Recall(i, ids, keys)
}
