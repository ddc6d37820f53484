package plan

import (
	"math"

	"github.com/knng/knng/builder/internal/fixed"
)

// A Stand is how far the stages of a build have come that stops at a recall.
type Stand struct {
	Leaves int     // that a row stood in
	Rounds float64 // of joins; of one under way the part that is done
	Recall float64 // on the steering rows
	Before float64 // the recall before the latest round of joins
	Wanted float64 // the recall that suffices
	First  float64 // the recall after the first division
}

// part is the part of the round under way that is done, 0 between rounds.
func (s *Stand) part() float64 { return s.Rounds - math.Floor(s.Rounds) }

// Ahead guesses the leaves that a row stands in and the rounds of the balls method in all, from
// the findings of its stages.
func (a *Aim) Ahead(s Stand) (leaves int, rounds float64) {
	joined := s.Rounds > 0
	s.Wanted = math.Min(s.Wanted, a.asked()) // the standard error falls as recall rises
	if s.part() > 0 {
		s, joined = s.roundEnds(), true
	}
	for s.Recall < s.Wanted && s.Leaves < a.Most && s.Rounds < float64(a.Most) {
		if s.divides(a, joined) {
			s.Recall, joined = s.divided(a, joined), false
			s.Leaves += a.Overlap
			continue
		}
		s, joined = s.round(), true
	}
	return s.Leaves, s.Rounds
}

// divides reports whether a division comes next: before the first round those below the recall
// from which rounds take over, but for one that would suffice; later where rounds gain too little.
func (s *Stand) divides(a *Aim, joined bool) bool {
	if s.Rounds == 0 {
		return s.Recall < a.Switch && fixed.AfterDivision(s.Recall, s.Leaves, a.Overlap) < s.Wanted
	}
	return joined && s.Recall+(s.Recall-s.Before)/2 < s.Wanted
}

// divided is the recall after a division.
func (s *Stand) divided(a *Aim, joined bool) float64 {
	if s.Rounds == 0 {
		return fixed.AfterDivision(s.Recall, s.Leaves, a.Overlap)
	}
	return 1 - (1-s.Recall)*afterDivision
}

// round is the stand after a round, of which as much is done as suffices.
func (s Stand) round() Stand {
	left := afterRound
	if s.Rounds == 0 {
		left = afterFirst(s.First)
	}
	gain := (1 - s.Recall) * (1 - left)
	s.Before = s.Recall
	part := math.Min(1, enough(s.Wanted-s.Recall, gain))
	s.Recall += gain * gained(part)
	s.Rounds += part
	if part < 1 {
		s.Recall = s.Wanted
	}
	return s
}

// roundEnds is the stand after the round under way, by its gain so far.
func (s Stand) roundEnds() Stand {
	done := s.part()
	gain := (s.Recall - s.Before) / gained(done)
	if gain <= 0 || s.Recall >= s.Wanted {
		return s
	}
	part := math.Max(done, math.Min(1, enough(s.Wanted-s.Before, gain)))
	s.Rounds += part - done
	s.Recall = math.Max(s.Recall, s.Before+gain*gained(part))
	if part < 1 {
		s.Recall = s.Wanted
	}
	return s
}

// lessAndLess is the power of a part of a round that its gain goes by. GIST: 0.0064, 0.0166, 0.0342,
// 0.0473, 0.0541 after 1, 3, 7, 13, 17 of 32 parts.
const lessAndLess = 0.6

// gained is the share of a round's gain that a part of it has: its parts gain less and less.
func gained(part float64) float64 { return math.Pow(part, lessAndLess) }

// enough is the part of a round that gains so much, where all of it gains gain.
func enough(missing, gain float64) float64 { return math.Pow(math.Max(0, missing)/gain, 1/lessAndLess) }

// PartsAhead guesses the leaves that a row stands in with the parts method, from the
// findings of its divisions.
func (a *Aim) PartsAhead(s Stand) (leaves int) {
	const power = 0.77 // as in Parts
	s.Wanted = math.Min(s.Wanted, a.asked())
	first, d := math.Log(1-math.Min(s.Recall, 0.9999)), float64(s.Leaves)/float64(a.Overlap)
	for more := 0; ; more++ {
		recall := 1 - math.Exp(first*math.Pow((d+float64(more))/d, power))
		leaves = s.Leaves + more*a.Overlap
		if recall >= s.Wanted || leaves+a.Overlap > a.Most {
			return leaves
		}
	}
}
