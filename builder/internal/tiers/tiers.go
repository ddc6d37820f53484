// Package tiers divides rows that have most of their neighbors into tiers: the rows that find most of the
// missing neighbors come first. If the rows of a tier are compared with all rows, a missing neighbor is found
// if it, or the row that misses it, is in the tier. So a share f of the tiers takes f(2-f) of all pairs.
//
// Rows are ordered in several ways. The steering rows, whose exact lists are known, show which way reaches
// the wanted recall with the fewest tiers.
package tiers

import (
	"cmp"
	"slices"
)

// Count is the number of tiers, with about equally many rows. With more tiers a build would end closer to the
// wanted recall, but each would be less work for threads to share.
const Count = 16

// Lists are the present lists of neighbors of N places.
type Lists struct {
	N       int
	Near    func(place uint32) []uint32 // the neighbors of a place, valid until the next call
	Last    func(place uint32) uint32   // a number that grows with the distance of the last neighbor
	Changed func(place uint32) int      // how many neighbors are new; nil: unknown
}

// Truth holds the true neighbors of the steering places, and their mean recall so far.
type Truth struct {
	Places []uint32
	Near   func(i int) []uint32 // the true neighbors of place i, without those whose key another place shares
	Recall float64
}

// Tiers are the tiers of all places.
type Tiers struct {
	Of     []uint32  `json:"-"`     // the tier of every place
	After  []float64 `json:"after"` // the expected recall after each tier
	ByName string    `json:"by"`    // the way in which rows are ordered
}

// Needed returns the number of tiers expected to reach a recall; all if none suffices.
func (t *Tiers) Needed(recall float64) int {
	for i, after := range t.After {
		if after >= recall {
			return i + 1
		}
	}
	return Count
}

// Share returns the share of all pairs that the first tiers take.
func Share(tiers int) float64 {
	f := float64(tiers) / Count
	return f * (2 - f)
}

// Of divides places into tiers, for a wanted recall.
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

// better reports whether t reaches a recall with fewer tiers than the other, or comes closer to it with as
// many.
func better(t, than *Tiers, wanted float64) bool {
	a, b := t.Needed(wanted), than.Needed(wanted)
	return cmp.Or(cmp.Compare(b, a), cmp.Compare(t.After[a-1], than.After[a-1])) > 0
}

// A pair is a steering place and a neighbor that it misses.
type pair struct{ place, other uint32 }

// missingOf returns the neighbors that steering places miss.
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

// after returns the expected recall after each tier.
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

// A way orders rows: those with large ranks come first.
type way struct {
	name string
	rank func(l *Lists, ranks []uint64) bool // false: it is not known
}

var ways = []way{{"listed", listed}, {"far", far}, {"changed", changed}}

// listed orders rows by the number of lists they are in: if a few rows are near most rows, these are missing.
func listed(l *Lists, ranks []uint64) bool {
	clear(ranks)
	for place := range uint32(l.N) {
		for _, other := range l.Near(place) {
			ranks[other]++
		}
	}
	return true
}

// far orders rows by the distance of their last neighbor: rows in sparse regions miss most.
func far(l *Lists, ranks []uint64) bool {
	for place := range uint32(l.N) {
		ranks[place] = uint64(l.Last(place))
	}
	return true
}

// changed orders rows by the share of new entries in their lists and those of their neighbors.
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

// cut divides places into tiers by descending rank, equal ranks in the order of places.
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
