// Package controls chooses the rows that steer a build, whose exact lists tell it when to stop,
// and the rows that report its recall afterwards, which steered nothing.
package controls

import (
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
)

// Rows is how many rows steer, and how many report, where kernels compare them with
// all others: in tiles a pair costs a fraction of one that is joined. Recall then has a
// standard error of 0.005 at 0.95, and a build that asks for half of that more stops
// between its target and 0.02 above it four times of five. With the twentieth of its
// comparisons, forty rows, MNIST stopped at 0.974 where 0.90 was asked; with four times as
// many rows the error is half of this, and controls are a tenth of a build's time.
const Rows = fixed.ControlRows

// share is the part of a build's comparisons that controls may cost where distances
// are expensive: measuring must not dominate a build. Half goes to the rows that
// steer, half to those that report.
const share = fixed.ControlShare

// LeastReport is how many rows report recall where their share of the comparisons
// is less, and a distance of the user's own is expensive: with fewer the interval says
// nothing.
const LeastReport = 20

// Drawn is how rows that steer are drawn now: all at once. Balls and parts drew them a few at a
// time before.
const Drawn = 2

// DrawnOfAll is the same where rows collapse: they are drawn from all rows. Before, groups were drawn, of which each counted
// once: 27,000 hard rows in groups of nine beside 50,000 easy ones reached 0.89 when 0.95 was asked and 0.96 told.
const DrawnOfAll = 3

// ErrOther refuses to go on with a build of a version that drew other rows to steer
// by: the recall that its stages found is of those.
var ErrOther = fmt.Errorf("%w: it was begun by a version that was steered by other rows: begin anew", store.ErrMismatch)

// Share is how many rows steer a build that requests so many pairs a row, where these are
// expensive.
func Share(pairs float64) int { return max(1, int(share/2*pairs)) }

// Steering lists which of n rows steer, ascending.
func Steering(n, steer int, seed uint64) []uint32 {
	rows, _ := recall.Disjoint(n, steer, 0, seed)
	return rows
}

// Reporting lists which of n rows report recall, at least so many, after requested pairs.
func Reporting(n, steer, least int, requested int64, seed uint64) []uint32 {
	return draw(n, Steering(n, steer, seed), 0, least, requested, seed)
}

// draw draws the rows that report apart from those that steer, after joins of rows that were to
// report before.
func draw(n int, steering []uint32, joins, least int, requested int64, seed uint64) []uint32 {
	budget := int(share*float64(requested)/float64(n)) - len(steering)
	sample := apart(n, steering, joins, max(budget, least), seed)
	if len(sample) < min(least, n) { // there are so few rows that all of them can tell
		sample = recall.Report(n, nil, n, seed)
	}
	return sample
}

// joinedStream is the stream of a seed that draws the rows that report once some have come to steer.
const joinedStream = 100

// apart draws m rows that do not steer.
func apart(n int, steering []uint32, joins, m int, seed uint64) []uint32 {
	others := slices.Sorted(slices.Values(steering))
	if joins == 0 {
		return recall.Report(n, others, m, seed)
	}
	return recall.Apart(n, others, m, seed, joinedStream+uint64(joins))
}

// joined lists which of n rows steer once rows that were to report have come to the first ones, those
// of each time behind the others.
func joined(n, first int, joins []int, seed uint64) []uint32 {
	steering := Steering(n, first, seed)
	for i, rows := range joins {
		steering = append(steering, apart(n, steering, i, rows, seed)...)
	}
	return steering
}
