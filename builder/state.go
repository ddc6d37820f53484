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

// enough says why a build stops whose recall suffices; "" while it does not.
func (s *state) enough(o *Options) string {
	last := s.last()
	if len(s.Stages) == 0 || !s.reached(o, last.Recall, last.Margin) {
		return ""
	}
	return fmt.Sprintf("recall %.3f on %d steering rows reached the target %.3f", last.Recall, s.Steer, o.Recall)
}

// steered reports whether recall on the steering rows decides when to stop.
func (s *state) steered(o *Options) bool { return o.Recall > 0 && s.Steer > 0 }

// reached reports whether recall on the steering rows suffices to stop.
func (s *state) reached(o *Options, recall, margin float64) bool {
	return s.steered(o) && recall >= wanted(o, margin)
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

// StagesIn lists the finished stages of an unfinished build, given the record
// that store.ProgressOf returns: lines for people.
func StagesIn(record []byte) (lines []string) {
	var s state
	if json.Unmarshal(record, &s) != nil {
		return nil // nothing recorded yet
	}
	for _, st := range s.Stages {
		line := fmt.Sprintf("%s %d", st.Kind, st.Number)
		if st.Kind == divisionStage && !methods[s.Method].overlaps {
			line += fmt.Sprintf(", effective rate %.4f", st.Rate)
		}
		if st.Recall > 0 {
			line += fmt.Sprintf(", recall %.3f on %d steering rows", st.Recall, s.Steer)
		}
		lines = append(lines, line)
	}
	return lines
}
