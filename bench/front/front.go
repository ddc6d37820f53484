// Package front reads curves of recall against cost: at which cost a system
// reaches a recall, and which recall it reaches for a cost.
package front

import (
	"cmp"
	"math"
	"slices"
)

// Point is the outcome of one setting: a recall and its cost, in seconds,
// comparisons or any other unit that is the same for all.
type Point struct{ Recall, Cost float64 }

// Of returns the points that no other beats in both recall and cost, by recall.
func Of(points []Point) []Point {
	all := slices.Clone(points)
	slices.SortFunc(all, func(a, b Point) int {
		return cmp.Or(cmp.Compare(b.Recall, a.Recall), cmp.Compare(a.Cost, b.Cost))
	})
	var kept []Point
	best := math.Inf(1)
	for _, p := range all {
		if p.Cost < best {
			best = p.Cost
			kept = append(kept, p)
		}
	}
	slices.Reverse(kept)
	return kept
}

// At reads a front at a recall: between two settings linearly in the logarithms
// of cost and of 1 - recall; below the first setting its cost, which reaches
// more; ok is false beyond the last.
func At(front []Point, recall float64) (cost float64, ok bool) {
	for i, p := range front {
		if p.Recall < recall {
			continue
		}
		if i == 0 || p.Recall >= 1 {
			return p.Cost, true
		}
		before := front[i-1]
		x := math.Log((1-before.Recall)/(1-recall)) / math.Log((1-before.Recall)/(1-p.Recall))
		return math.Exp(math.Log(before.Cost) + x*math.Log(p.Cost/before.Cost)), true
	}
	return 0, false
}

// Begins reports whether a recall lies below a front's first setting: At returns an upper
// bound there.
func Begins(front []Point, recall float64) bool { return len(front) > 0 && front[0].Recall > recall }

// Within is the best recall that a front has for at most a cost, between its
// settings as At reads them; 0 below the first.
func Within(front []Point, cost float64) float64 {
	recall := 0.0
	for i, p := range front {
		if p.Cost <= cost {
			recall = p.Recall
			continue
		}
		if i == 0 || p.Recall >= 1 {
			return recall
		}
		before := front[i-1]
		x := math.Log(cost/before.Cost) / math.Log(p.Cost/before.Cost)
		return 1 - (1-before.Recall)*math.Pow((1-p.Recall)/(1-before.Recall), x)
	}
	return recall
}
