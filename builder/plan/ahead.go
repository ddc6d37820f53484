package plan

import (
	"math"

	"github.com/knng/knng/builder/internal/fixed"
)

// A Stand says how far a build that stops at a recall has come.
type Stand struct {
	Leaves int     // that a row stood in
	Rounds float64 // of joins; of one that ended early, or is under way, the part that was done
	Open   float64 // the part that is done of the round under way; 0: there is none
	Recall float64 // on the steering rows
	Before float64 // the recall before the latest round of joins
	Wanted float64 // the recall that suffices
	First  float64 // the recall after the first division, had it the leaves of any other
}

// Ahead guesses, from the results of the stages so far, how many leaves a row will be in and how many
// rounds of joins there will be, finished ones included. k is Balls or Groups.
func (a *Aim) Ahead(k Kind, s Stand) (leaves int, rounds float64) {
	if k == Groups {
		return a.partsAhead(s), 0
	}
	return a.ballsAhead(s)
}

// ballsAhead guesses the leaves and the rounds of the balls method in all.
func (a *Aim) ballsAhead(s Stand) (leaves int, rounds float64) {
	joined := s.Rounds > 0
	s.Wanted = math.Min(s.Wanted, a.asked()) // the standard error falls as recall rises
	if s.Open > 0 {
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

// divided returns the expected recall after one more division. The logarithm of the share of missing
// neighbors grows with a power of the number of divisions. The power was measured on 2, 3 and 4 divisions
// by balls (testdata/left): 0.91, 0.87, 0.87, 0.77, 0.67; 0.77, 0.77; 0.77. Builds decide by a lower one
// (package fixed).
func (s *Stand) divided(a *Aim, joined bool) float64 {
	power := 0.77
	if s.Leaves <= a.Overlap {
		power = 0.82
	}
	if s.Rounds == 0 {
		return a.afterMore(s.Recall, float64(s.Leaves+a.Overlap)/float64(s.Leaves), power)
	}
	return 1 - (1-s.Recall)*afterDivision
}

// powerDiffers is the standard deviation of that power between builds.
const powerDiffers = 0.08

// afterMore returns the expected recall if there are times as many divisions.
func (a *Aim) afterMore(recall, times, power float64) float64 {
	return 1 - math.Pow(1-math.Min(recall, 0.9999), math.Pow(times, power+powerDiffers*a.Luck))
}

// round returns the stand after one more round, or after the part of it that suffices.
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

// usualPart is the part of a round after which its own gain and the usual gain of rounds have equal
// weight in the forecast of the whole round.
const usualPart = 0.15

// roundEnds returns the stand after the round under way, from its gain so far and, early in the round,
// from the usual gain.
func (s Stand) roundEnds() Stand {
	done := s.Open
	s.Open = 0
	if s.Recall >= s.Wanted {
		return s
	}
	left := afterRound
	if s.Rounds < 1 {
		left = afterFirst(s.First)
	}
	usual := (1 - s.Before) * (1 - left)
	gain := usual
	if s.Recall > s.Before { // steering rows that are few tell nothing at first
		gain *= math.Pow((s.Recall-s.Before)/gained(done)/usual, done/(done+usualPart))
	}
	part := math.Max(done, math.Min(1, enough(s.Wanted-s.Before, gain)))
	s.Rounds += part - done
	s.Recall = math.Max(s.Recall, s.Before+gain*gained(part))
	if part < 1 {
		s.Recall = s.Wanted
	}
	return s
}

// lessAndLess is the exponent p in: a part x of a round has the share x^p of its gain. Measured: on GIST
// 0.0064, 0.0166, 0.0342, 0.0473, 0.0541 after 1, 3, 7, 13, 17 of 32 parts; on 500,000 rows of SIFT 0.0018,
// 0.0063, 0.0133, 0.0264, 0.0332, 0.0363 after 1, 3, 7, 15, 21, 25.
const lessAndLess = 0.75

// gained returns the share of a round's gain that a part of it has.
func gained(part float64) float64 { return math.Pow(part, lessAndLess) }

// enough returns the part of a round that gains missing, if the whole round gains gain.
func enough(missing, gain float64) float64 { return math.Pow(math.Max(0, missing)/gain, 1/lessAndLess) }

// partsAhead guesses how many leaves a row will be in with the parts method.
func (a *Aim) partsAhead(s Stand) (leaves int) {
	const power = 0.77 // as in Parts
	s.Wanted = math.Min(s.Wanted, a.asked())
	after := func(leaves int) float64 { return a.afterMore(s.Recall, float64(leaves)/float64(s.Leaves), power) }
	for leaves = s.Leaves; after(leaves) < s.Wanted; {
		more := a.Overlap
		for _, fewer := range []int{a.Overlap / 2, a.Overlap * 3 / 4} { // as package job has the last division
			if fewer > 1 && leaves > 0 && after(leaves+fewer) >= s.Wanted {
				more = fewer
				break
			}
		}
		if leaves+more > a.Most {
			break
		}
		leaves += more
	}
	return leaves
}
