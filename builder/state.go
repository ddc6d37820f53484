package builder

import (
	"encoding/json"
	"fmt"

	"github.com/knng/knng/builder/plan"
)

// state is the build's memory between runs: what has been decided and done. It
// is recorded after every stage; units within a stage are the store's to know.
type state struct {
	Method Method `json:"method"` // never Auto
	// Rows with a list: the input less dropped and isolated rows.
	Rows int    `json:"rows"`
	Plan course `json:"plan"`           // of the balls method
	Side int    `json:"side,omitempty"` // rows of a block of the exact method
	// What the build was expected to take when it began, and when it last turned out to
	// take more stages than that.
	Expected *plan.Plan     `json:"expected,omitempty"`
	Revised  *plan.Plan     `json:"revised,omitempty"`
	Stages   []stage        `json:"stages"`
	Steer    int            `json:"steer"`                 // rows in the steering sample; 0: no stopping by recall
	Drawn    int            `json:"steer_drawn,omitempty"` // how they were drawn, as steeringDrawn
	Stop     string         `json:"stop"`                  // why there are no more stages; "" until then
	Runs     int            `json:"runs"`
	Usage    usage          `json:"usage"`
	Control  int64          `json:"control"` // comparisons spent on steering rows
	Phases   []PhaseSeconds `json:"phases"`
}

// stage is one finished stage of a build.
type stage struct {
	Kind      string  `json:"kind"` // "division", "propagation", "exact"
	Number    int     `json:"number"`
	Requested int64   `json:"requested"`
	Evaluated int64   `json:"evaluated"`
	New       int64   `json:"new"`              // pairs that first shared a leaf here
	Rate      float64 `json:"rate"`             // effective rate, of divisions
	Recall    float64 `json:"recall"`           // of the steering rows, where there are any
	Margin    float64 `json:"margin,omitempty"` // standard error of Recall, with balls
	Parts     int     `json:"parts,omitempty"`  // of a round of joins
}

// Kinds of stages.
const (
	divisionStage    = "division"
	propagationStage = "propagation"
	exactStage       = "exact"
)

// unitCounts is the note that a unit is committed with.
type unitCounts struct {
	Requested int64 `json:"r"`
	Evaluated int64 `json:"e"`
	New       int64 `json:"n,omitempty"`
}

func (c *unitCounts) add(o unitCounts) {
	c.Requested += o.Requested
	c.Evaluated += o.Evaluated
	c.New += o.New
}

// sums adds up the stages.
func (s *state) sums() (c unitCounts) {
	for _, st := range s.Stages {
		c.add(unitCounts{st.Requested, st.Evaluated, st.New})
	}
	return c
}

func (s *state) count(kind string) (n int) {
	for _, st := range s.Stages {
		if st.Kind == kind {
			n++
		}
	}
	return n
}

// last returns the latest stage, or a zero one.
func (s *state) last() stage {
	if len(s.Stages) == 0 {
		return stage{}
	}
	return s.Stages[len(s.Stages)-1]
}

// next decides the stage after those done: its kind, or why the build stops.
// It looks at counts and at the steering rows only, never at clocks, so the
// decision is the same on every machine.
//
// The paper's order is divisions until the effective rate falls under the
// trigger, then propagation. Where a target recall is not reached by then,
// whichever of the two gained more recall per requested pair when it was last
// done goes next.
func (s *state) next(o *Options, target int) (kind, stop string) {
	if s.Method == Exact {
		if len(s.Stages) < target {
			return exactStage, ""
		}
		return "", "all pairs compared"
	}
	divisions, rounds, last := s.count(divisionStage), s.count(propagationStage), s.last()
	steered := o.Recall > 0 && s.Steer > 0
	if len(s.Stages) > 0 && s.reached(o, last.Recall, last.Margin) {
		return "", fmt.Sprintf("recall %.3f on %d steering rows reached the target %.3f", last.Recall, s.Steer, o.Recall)
	}
	switch s.Method {
	case Balls:
		return s.nextBalls(o, rounds, steered)
	case Parts:
		return s.nextParts(o, steered)
	}
	if rounds == 0 && !s.divided(o, divisions, last) {
		return divisionStage, ""
	}
	if o.Propagation == On && rounds < max(o.Rounds, 1) {
		return propagationStage, ""
	}
	if !steered {
		return "", s.plainStop(o, divisions, rounds)
	}
	return s.more(o, divisions, rounds)
}

// reached reports whether recall on the steering rows suffices to stop.
func (s *state) reached(o *Options, recall, margin float64) bool {
	return o.Recall > 0 && s.Steer > 0 && recall >= wanted(o, margin)
}

// wanted is the recall to stop at. With a margin, the standard error of what is measured,
// two of them are asked on top, so that the target is reached, and at most what is halfway
// between missing it and passing it by 0.02.
func wanted(o *Options, margin float64) float64 {
	return min(o.Recall+min(2*margin, halfway), 1)
}

const halfway = 0.01

// ballsDone is how many balls each row has stood in.
func (s *state) ballsDone(o *Options) (sum int) {
	for number := range s.count(divisionStage) {
		sum += s.overlapOf(o, number+1)
	}
	return sum
}

// overlapOf is the overlap of a division of the balls method: what remains of
// the number asked for, where one is.
func (s *state) overlapOf(o *Options, number int) int {
	if o.Divisions > 0 {
		return min(overlap, o.Divisions-(number-1)*overlap)
	}
	return overlap
}

// nextBalls decides for the balls method: divisions until joins find something
// to work on, then joins; where these gain too little to reach the target soon,
// another division gives them new neighbors to spread.
func (s *state) nextBalls(o *Options, rounds int, steered bool) (kind, stop string) {
	balls, last := s.ballsDone(o), s.last()
	most := MaxDivisions
	if o.Divisions > 0 {
		most = o.Divisions
	} else if !steered {
		most = s.Plan.Balls
	}
	mayDivide, mayJoin := balls < most, o.Propagation == On && rounds < MaxDivisions
	if o.Rounds > 0 {
		mayJoin = mayJoin && rounds < o.Rounds
	} else if !steered {
		mayJoin = mayJoin && rounds < 1
	} else if last.Kind == propagationStage && last.Requested == 0 {
		mayJoin = false // a round had nothing to compare: no later one has
	}
	switch {
	case balls == 0, mayDivide && !mayJoin, mayDivide && rounds == 0 && (!steered || s.divisionsGoOn(o, balls)):
		return divisionStage, ""
	case mayJoin && !mayDivide, mayJoin && (last.Kind == divisionStage || s.soon(o)):
		return propagationStage, ""
	case mayDivide:
		return divisionStage, ""
	}
	if steered {
		return "", fmt.Sprintf("nothing more to do within %d balls a row and %d rounds: recall %.3f on %d steering rows, target %.3f",
			balls, rounds, last.Recall, s.Steer, o.Recall)
	}
	return "", fmt.Sprintf("each row in %d balls, %d propagation rounds done", balls, rounds)
}

// divisionsGoOn reports whether another division comes before the first joins: below the
// recall from which these take over, and where it will not reach the target. If it did it
// would overshoot it, which a part of a round does not.
func (s *state) divisionsGoOn(o *Options, balls int) bool {
	last := s.last()
	return last.Recall < s.Plan.Switch && plan.AfterDivision(last.Recall, balls, overlap) < wanted(o, last.Margin)
}

// plainParts is how many divisions the parts method makes where nothing else says.
const plainParts = 2

// nextParts decides for the parts method: divisions until the recall is reached.
func (s *state) nextParts(o *Options, steered bool) (kind, stop string) {
	done, most := s.ballsDone(o), MaxDivisions
	switch {
	case o.Divisions > 0:
		most = o.Divisions
	case o.Recall == 0:
		most = plainParts * overlap
	}
	switch {
	case done < most:
		return divisionStage, ""
	case steered:
		return "", fmt.Sprintf("nothing more to do within %d leaves a row: recall %.3f on %d steering rows, target %.3f",
			done, s.last().Recall, s.Steer, o.Recall)
	}
	return "", fmt.Sprintf("each row in %d leaves", done)
}

// soon reports whether more rounds of joins are likely to reach the target: each
// gains about a third of what the one before it gained, so all of them together
// half of the last.
func (s *state) soon(o *Options) bool {
	n := len(s.Stages)
	if n < 2 {
		return true
	}
	last := s.Stages[n-1]
	gained := last.Recall - s.Stages[n-2].Recall
	return last.Recall+gained/2 >= wanted(o, last.Margin)
}

// divided reports whether the first run of divisions is over.
func (s *state) divided(o *Options, divisions int, last stage) bool {
	if o.Divisions > 0 {
		return divisions >= o.Divisions
	}
	return divisions >= MaxDivisions || divisions > 0 && last.Rate < o.Trigger
}

func (s *state) plainStop(o *Options, divisions, rounds int) string {
	why := fmt.Sprintf("effective rate under %v", o.Trigger)
	if o.Divisions > 0 {
		why = "as asked"
	} else if divisions >= MaxDivisions {
		why = "the most allowed"
	}
	return fmt.Sprintf("%d divisions (%s) and %d propagation rounds done", divisions, why, rounds)
}

// more continues past the paper's plan because the target is not reached.
func (s *state) more(o *Options, divisions, rounds int) (kind, stop string) {
	mayDivide := o.Divisions == 0 && divisions < MaxDivisions
	mayPropagate := o.Propagation == On && o.Rounds == 0 && rounds < MaxDivisions
	if mayDivide && mayPropagate {
		mayDivide = s.gain(divisionStage) >= s.gain(propagationStage)
	}
	switch {
	case mayDivide:
		return divisionStage, ""
	case mayPropagate && (rounds == 0 || s.gain(propagationStage) > 0):
		return propagationStage, ""
	}
	return "", fmt.Sprintf("nothing more to do within %d divisions and %d rounds: recall %.3f on %d steering rows, target %.3f",
		divisions, rounds, s.last().Recall, s.Steer, o.Recall)
}

// gain is the recall that the latest stage of a kind added per requested pair.
func (s *state) gain(kind string) float64 {
	for i := len(s.Stages) - 1; i > 0; i-- {
		if st := s.Stages[i]; st.Kind == kind {
			return (st.Recall - s.Stages[i-1].Recall) / float64(max(st.Requested, 1))
		}
	}
	return 0
}

// StagesIn lists the finished stages of an unfinished build, given the record
// that store.ProgressOf returns: lines for people.
func StagesIn(record []byte) (lines []string) {
	var s state
	if json.Unmarshal(record, &s) != nil {
		return nil // nothing recorded yet
	}
	for _, st := range s.Stages {
		line := fmt.Sprintf("%s %d", st.Kind, st.Number)
		if st.Kind == divisionStage && s.Method == Paper {
			line += fmt.Sprintf(", effective rate %.4f", st.Rate)
		}
		if st.Recall > 0 {
			line += fmt.Sprintf(", recall %.3f on %d steering rows", st.Recall, s.Steer)
		}
		lines = append(lines, line)
	}
	return lines
}
