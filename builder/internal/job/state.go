package job

import (
	"fmt"
	"slices"

	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/progress"
)

// State is the record of a build between runs: its decisions and its finished stages. It
// is written after every stage; the store knows the units within a stage.
type State struct {
	Method string `json:"method"` // by name, never that which is to be chosen
	// Rows with a list: the input less dropped and isolated rows.
	Rows int      `json:"rows"`
	Plan Schedule `json:"plan"`           // of the balls method
	Side int      `json:"side,omitempty"` // rows of a block of the exact method
	Lap  int      `json:"lap,omitempty"`  // leaves of a row in a whole division of the parts method; 0: Overlap
	Fits bool     `json:"fits,omitempty"` // its divisions have no more leaves than the recall asked for is expected to take; those of earlier versions are whole
	// A division of the parts method has half or three quarters of its leaves where these suffice by how fast those
	// before found less; of an earlier version half of twice Overlap, where these suffice by a fixed power.
	Foretells bool    `json:"foretells,omitempty"`
	Tiers     int     `json:"tiers,omitempty"`   // in which the exact method compares all rows; 0: in any order
	Means     string  `json:"means,omitempty"`   // "keys": candidates are compared by keys from the first stage on; "": by codes
	Ceiling   float64 `json:"ceiling,omitempty"` // the recall that codes can have, where it was measured
	// The forecast of when the build began, and of when it last turned out to take more
	// stages than that.
	Expected *plan.Plan              `json:"expected,omitempty"`
	Revised  *plan.Plan              `json:"revised,omitempty"`
	Stages   []Stage                 `json:"stages"`
	Steer    int                     `json:"steer"`                 // rows in the steering sample; 0: no stopping by recall
	Drawn    int                     `json:"steer_drawn,omitempty"` // how they were drawn, as controls.Drawn
	Stop     string                  `json:"stop"`                  // why there are no more stages; "" until then
	Runs     int                     `json:"runs"`
	Usage    Usage                   `json:"usage"`
	Control  int64                   `json:"control"` // comparisons spent on steering rows
	Phases   []progress.PhaseSeconds `json:"phases"`
}

// Stage is one finished stage of a build.
type Stage struct {
	Kind      string  `json:"kind"` // DivisionStage, PropagationStage, ExactStage, KnownStage, HubsStage, KeysStage, ListsStage, SteerStage or JoinStage
	Number    int     `json:"number"`
	Requested int64   `json:"requested"`
	Evaluated int64   `json:"evaluated"`
	New       int64   `json:"new"`              // pairs that first shared a leaf here
	Rate      float64 `json:"rate"`             // effective rate, of divisions
	Recall    float64 `json:"recall"`           // of the steering rows, where there are any
	Margin    float64 `json:"margin,omitempty"` // standard error of Recall, with balls
	Parts     int     `json:"parts,omitempty"`  // of a round of joins
	Before    int     `json:"before,omitempty"` // rows that steered before it, where more do from it on
	Leaves    int     `json:"leaves,omitempty"` // that a row stood in, of a division; 0: as many as Goal.OverlapOf says
}

// Methods by name; AutoMethod is settled before a build has one.
const (
	AutoMethod  = "auto"
	ExactMethod = "exact"
	TreeMethod  = "tree"
	PaperMethod = "paper"
	BallsMethod = "balls"
	PartsMethod = "parts"
)

// Kinds of stages.
const (
	DivisionStage    = "division"
	PropagationStage = "propagation"
	ExactStage       = "exact"
	KnownStage       = "known"
	HubsStage        = "hubs" // all rows with those that are listed most
)

// Sums adds up the stages.
func (s *State) Sums() (c Counts) {
	for _, st := range s.Stages {
		c.Add(Counts{st.Requested, st.Evaluated, st.New})
	}
	return c
}

func (s *State) Count(kind string) (n int) {
	for _, st := range s.Stages {
		if st.Kind == kind {
			n++
		}
	}
	return n
}

// Lines describes the finished stages for people. Divisions that overlap have no effective rate.
func (s *State) Lines(overlaps bool) (lines []string) {
	steer := s.Steer
	for _, st := range slices.Backward(s.Stages) {
		line := fmt.Sprintf("%s %d", st.Kind, st.Number)
		if st.Kind == DivisionStage && !overlaps {
			line += fmt.Sprintf(", effective rate %.4f", st.Rate)
		}
		if st.Recall > 0 {
			line += fmt.Sprintf(", recall %.3f on %d steering rows", st.Recall, steer)
		}
		lines = append(lines, line)
		if st.steers() { // fewer rows did before
			steer = st.Before
		}
	}
	slices.Reverse(lines)
	return lines
}

// HubsCompared reports whether rows were compared with hubs, as they are compared now: by codes or
// by keys.
func (s *State) HubsCompared() bool {
	for i := len(s.Stages) - 1; i >= 0 && s.Stages[i].Kind != KeysStage; i-- {
		if s.Stages[i].Kind == HubsStage {
			return true
		}
	}
	return false
}

// Last returns the latest stage, or a zero one.
func (s *State) Last() Stage {
	if len(s.Stages) == 0 {
		return Stage{}
	}
	return s.Stages[len(s.Stages)-1]
}

// Changed is a stage that changes how rows are compared and finds nothing.
func (s *State) Changed(kind string) Stage {
	last := s.Last()
	return Stage{Kind: kind, Number: 1, Recall: last.Recall, Margin: last.Margin}
}

// WithStage is the state after one more stage.
func (s *State) WithStage(st Stage) State {
	after := *s
	after.Stages = append(s.Stages[:len(s.Stages):len(s.Stages)], st)
	return after
}

// Schedule holds the constants of a build by balls, settled before its first stage.
type Schedule struct {
	Balls  int     `json:"balls"`  // that a row stands in altogether, where recall does not steer
	Slack  int     `json:"slack"`  // candidates kept beyond k
	Most   int     `json:"most"`   // rows that list a row which a join takes
	Switch float64 `json:"switch"` // recall from which joins take over from divisions
	Marks  int     `json:"marks"`  // of an entry of a list on disk
}
