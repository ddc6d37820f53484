package plan

import "github.com/knng/knng/builder/progress"

// An Outlook is the ways that a build may go, which differ in the stages that are to come.
type Outlook []Way

// A Way is one of them.
type Way struct {
	Plan   *Plan
	Chance float64 // those of an outlook add up to 1
}

// Alone is the outlook of a build that goes by this plan.
func (p *Plan) Alone() Outlook { return Outlook{{p, 1}} }

// Left is the mean of the seconds that the ways have still to go.
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

// Lucks are an Aim's Luck in the ways of an outlook, with their chances: a normal distribution by three
// of its values.
var Lucks = []struct{ Luck, Chance float64 }{{-1.2, 0.3}, {0, 0.4}, {1.2, 0.3}}
