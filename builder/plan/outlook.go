package plan

import "github.com/knng/knng/builder/progress"

// An Outlook lists the ways in which a build may go on; they differ in the stages to come.
type Outlook []Way

// A Way is one of them.
type Way struct {
	Plan   *Plan
	Chance float64 // those of an outlook add up to 1
}

// Alone returns the outlook of a build that follows this plan.
func (p *Plan) Alone() Outlook { return Outlook{{p, 1}} }

// Left returns the mean, over the ways, of the seconds left. known is false if the plan has no times.
func (o Outlook) Left(c progress.Course) (seconds float64, known bool) {
	for _, way := range o {
		left, known := way.Plan.Left(c)
		if !known {
			return 0, false
		}
		seconds += way.Chance * left
	}
	return seconds, len(o) > 0
}

// Lucks holds the values of Aim.Luck for the ways of an outlook, and their chances: three values that
// stand for a normal distribution.
var Lucks = []struct{ Luck, Chance float64 }{{-1.2, 0.3}, {0, 0.4}, {1.2, 0.3}}
