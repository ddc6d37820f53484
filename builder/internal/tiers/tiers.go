// Package tiers puts rows whose neighbors are found but for some into tiers: those with which most
// of the missing neighbors are found come first. Where the rows of a tier are compared with all rows,
// a missing neighbor is found if it, or the row that misses it, is in the tier. So the rows of f of all
// tiers take f(2-f) of all pairs.
//
// Rows are ordered in several ways, and the rows that steer a build, whose exact lists are known,
// tell which of these finds the recall that is wanted with the fewest tiers.
package tiers

import (
	"cmp"
	"slices"
)

// Count is the number of tiers, of about as many rows each. More would end closer to the recall that
// is wanted, and be less each for threads to share.
const Count = 16

// Lists are the lists of neighbors of N places so far.
type Lists struct {
	N       int
	Near    func(place uint32) []uint32 // the neighbors of a place, valid until the next call
	Last    func(place uint32) uint32   // how far away the last of them is, as a number in that order
	Changed func(place uint32) int      // how many of them came last; nil: nobody knows
}

// Truth are the neighbors of places that steer, and their mean recall so far.
type Truth struct {
	Places []uint32
	Near   func(i int) []uint32 // the true neighbors of place i; none is counted for one with the key of another
	Recall float64
}

// Tiers are the tiers of all places.
type Tiers struct {
	Of     []uint32  `json:"-"`     // of every place, by the number of its tier
	After  []float64 `json:"after"` // the recall to expect after each tier
	ByName string    `json:"by"`    // how rows are ordered
}

// Needed is how many tiers are expected to reach a recall: all of them where fewer do not.
func (t *Tiers) Needed(recall float64) int {
	for i, after := range t.After {
		if after >= recall {
			return i + 1
		}
	}
	return Count
}

// Share is the share of all pairs that some tiers take.
func Share(tiers int) float64 {
	f := float64(tiers) / Count
	return f * (2 - f)
}

// Of puts places into tiers, for a recall that is wanted.
func Of(l *Lists, truth *Truth, wanted float64) *Tiers {
	missing := missingOf(l, truth)
	var best *Tiers
	ranks := make([]uint64, l.N)
	for _, way := range ways {
		if !way.rank(l, ranks) {
			continue
		}
		t := cut(ranks)
		t.ByName, t.After = way.name, after(t.Of, missing, truth.Recall)
		if best == nil || better(t, best, wanted) {
			best = t
		}
	}
	return best
}

// better reports whether tiers reach a recall sooner than others, or come closer to it.
func better(t, than *Tiers, wanted float64) bool {
	a, b := t.Needed(wanted), than.Needed(wanted)
	return cmp.Or(cmp.Compare(b, a), cmp.Compare(t.After[a-1], than.After[a-1])) > 0
}

// A pair is a place that steers and a neighbor that it misses.
type pair struct{ place, other uint32 }

// missingOf are the neighbors that places which steer miss.
func missingOf(l *Lists, truth *Truth) (missing []pair) {
	for i, place := range truth.Places {
		found := l.Near(place)
		for _, other := range truth.Near(i) {
			if !slices.Contains(found, other) {
				missing = append(missing, pair{place, other})
			}
		}
	}
	return missing
}

// after is the recall to expect after each tier.
func after(tierOf []uint32, missing []pair, recall float64) []float64 {
	var found [Count]int
	for _, p := range missing {
		found[min(tierOf[p.place], tierOf[p.other])]++
	}
	sum, recalls := 0, make([]float64, Count)
	for t, n := range found {
		sum += n
		recalls[t] = recall + (1-recall)*float64(sum)/float64(max(1, len(missing)))
	}
	recalls[Count-1] = 1
	return recalls
}

// A way to order rows: those with large ranks come first.
type way struct {
	name string
	rank func(l *Lists, ranks []uint64) bool // false: it cannot be told
}

var ways = []way{{"listed", listed}, {"far", far}, {"changed", changed}}

// listed orders rows by how many list them: where few rows are near most, these are missing.
func listed(l *Lists, ranks []uint64) bool {
	clear(ranks)
	for place := range uint32(l.N) {
		for _, other := range l.Near(place) {
			ranks[other]++
		}
	}
	return true
}

// far orders rows by how far away their last neighbor is: rows in thin regions miss most.
func far(l *Lists, ranks []uint64) bool {
	for place := range uint32(l.N) {
		ranks[place] = uint64(l.Last(place))
	}
	return true
}

// changed orders rows by how much of their lists came last, and of those of their neighbors.
func changed(l *Lists, ranks []uint64) bool {
	if l.Changed == nil {
		return false
	}
	own := make([]uint32, l.N)
	for place := range own {
		own[place] = uint32(l.Changed(uint32(place)))
	}
	for place := range uint32(l.N) {
		near := l.Near(place)
		sum := uint64(own[place])
		for _, other := range near {
			sum += uint64(own[other])
		}
		ranks[place] = sum << 20 / uint64(len(near)+1)
	}
	return true
}

// cut cuts places into tiers by their ranks, of which the largest come first; of equal ones the first
// places do.
func cut(ranks []uint64) *Tiers {
	order := make([]uint32, len(ranks))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Or(cmp.Compare(ranks[b], ranks[a]), cmp.Compare(a, b)) })
	t := &Tiers{Of: make([]uint32, len(ranks))}
	for i, place := range order {
		t.Of[place] = uint32(i * Count / len(order))
	}
	return t
}
