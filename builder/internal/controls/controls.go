// Package controls chooses two samples of rows. The exact lists of the steering rows decide when a build stops.
// The reporting rows, which steered nothing, measure its recall afterwards.
package controls

import (
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
)

// Rows is the number of rows that steer, and of rows that report, if kernels compare them with all others: in
// tiles a pair costs a fraction of a joined pair. The standard error of recall is then 0.005 at 0.95, and a
// build that asks for half of that more stops between its target and 0.02 above it four times out of five.
// With forty rows, a twentieth of its comparisons, MNIST stopped at 0.974 for a target of 0.90. Four times as
// many rows would halve the error, and take a tenth of a build's time.
const Rows = fixed.ControlRows

// share is the part of a build's comparisons that controls may cost if distances are expensive, so that
// measuring does not dominate a build. Half goes to the steering rows, half to the reporting rows.
const share = fixed.ControlShare

// LeastReport is the least number of reporting rows if the user's own distance is expensive, even if it
// exceeds their share of the comparisons: with fewer, the interval is meaningless.
const LeastReport = 20

// Drawn is the version of the way in which steering rows are drawn: all at once. Older versions drew them a
// few at a time for balls and parts.
const Drawn = 2

// DrawnOfAll is the same if rows collapse: they are drawn from all rows, not from groups that each count
// once. With groups, 27,000 hard rows in groups of nine beside 50,000 easy ones reached 0.89 when 0.95 was
// asked for and 0.96 was reported.
const DrawnOfAll = 3

// ErrOther refuses to resume a build of a version that drew other steering rows: the recall of its stages was
// measured on those.
var ErrOther = fmt.Errorf("%w: it was begun by a version that was steered by other rows: begin anew", store.ErrMismatch)

// Share returns the number of steering rows, if distances are expensive, for a build that requests the given
// pairs per row.
func Share(pairs float64) int { return max(1, int(share/2*pairs)) }

// Steering returns which of n rows steer, ascending.
func Steering(n, steer int, seed uint64) []uint32 {
	rows, _ := recall.Disjoint(n, steer, 0, seed)
	return rows
}

// Reporting returns which of n rows report recall after requested pairs: least rows or more.
func Reporting(n, steer, least int, requested int64, seed uint64) []uint32 {
	return draw(n, Steering(n, steer, seed), 0, least, requested, seed)
}

// draw draws the reporting rows from those that do not steer. joins is how often earlier reporting rows have
// joined the steering rows.
func draw(n int, steering []uint32, joins, least int, requested int64, seed uint64) []uint32 {
	budget := int(share*float64(requested)/float64(n)) - len(steering)
	sample := apart(n, steering, joins, max(budget, least), seed)
	if len(sample) < min(least, n) { // so few rows that all report
		sample = recall.Report(n, nil, n, seed)
	}
	return sample
}

// joinedStream is the first stream of a seed that draws reporting rows after such a join.
const joinedStream = 100

// apart draws m rows that do not steer.
func apart(n int, steering []uint32, joins, m int, seed uint64) []uint32 {
	others := slices.Sorted(slices.Values(steering))
	if joins == 0 {
		return recall.Report(n, others, m, seed)
	}
	return recall.Apart(n, others, m, seed, joinedStream+uint64(joins))
}

// joined returns which of n rows steer after reporting rows have joined the first ones, in the order of the
// joins.
func joined(n, first int, joins []int, seed uint64) []uint32 {
	steering := Steering(n, first, seed)
	for i, rows := range joins {
		steering = append(steering, apart(n, steering, i, rows, seed)...)
	}
	return steering
}
