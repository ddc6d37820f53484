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
	Method string `json:"method"` // by name; never "auto"
	// Rows with a list: the input less dropped and isolated rows.
	Rows int      `json:"rows"`
	Plan Schedule `json:"plan"`           // of the balls method
	Side int      `json:"side,omitempty"` // rows of a block of the exact method
	Lap  int      `json:"lap,omitempty"`  // leaves of a row in a whole division of the parts method; 0: Overlap
	Fits bool     `json:"fits,omitempty"` // divisions have no more leaves than the target is expected to need; those of earlier versions are whole
	// A division of the parts method has half or three quarters of its leaves if these suffice, by the rate
	// at which earlier divisions found less. In an earlier version it had half of twice Overlap, if these
	// sufficed by a fixed power.
	Foretells bool    `json:"foretells,omitempty"`
	Tiers     int     `json:"tiers,omitempty"`   // tiers into which the exact method divides the rows; 0: none
	Means     string  `json:"means,omitempty"`   // "keys": candidates are compared by keys from the first stage on; "": by codes
	Ceiling   float64 `json:"ceiling,omitempty"` // the highest recall that codes allow, if it was measured
	// The forecast at the start of the build, and the latest one made because it takes more stages than that.
	Expected *plan.Plan              `json:"expected,omitempty"`
	Revised  *plan.Plan              `json:"revised,omitempty"`
	Stages   []Stage                 `json:"stages"`
	Steer    int                     `json:"steer"`                 // rows in the steering sample; 0: no stopping by recall
	Drawn    int                     `json:"steer_drawn,omitempty"` // version of the way in which they were drawn: controls.Drawn
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
	Recall    float64 `json:"recall"`           // on the steering rows, if there are any
	Margin    float64 `json:"margin,omitempty"` // standard error of Recall, with balls
	Parts     int     `json:"parts,omitempty"`  // of a round of joins
	Before    int     `json:"before,omitempty"` // steering rows before it, if it changes them
	Leaves    int     `json:"leaves,omitempty"` // leaves of a row, in a division; 0: Goal.OverlapOf
}

// Methods by name. A build has one of the others in place of AutoMethod.
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
	HubsStage        = "hubs" // all rows with the rows that are listed most
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

// Lines describes the finished stages to the user. Overlapping divisions have no effective rate.
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
		if st.steers() { // before it, fewer rows did
			steer = st.Before
		}
	}
	slices.Reverse(lines)
	return lines
}

// HubsCompared reports whether rows were compared with hubs by the present means: by codes or by keys.
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

// Changed returns a stage that changes how rows are compared and finds nothing.
func (s *State) Changed(kind string) Stage {
	last := s.Last()
	return Stage{Kind: kind, Number: 1, Recall: last.Recall, Margin: last.Margin}
}

// WithStage returns the state after one more stage.
func (s *State) WithStage(st Stage) State {
	after := *s
	after.Stages = append(s.Stages[:len(s.Stages):len(s.Stages)], st)
	return after
}

// Schedule holds the constants of a build by balls, fixed before its first stage.
type Schedule struct {
	Balls  int     `json:"balls"`  // leaves of a row in all, if recall does not steer
	Slack  int     `json:"slack"`  // candidates kept beyond k
	Most   int     `json:"most"`   // a join takes at most so many rows that list a row
	Switch float64 `json:"switch"` // recall from which joins replace divisions
	Marks  int     `json:"marks"`  // marks of an entry of a list on disk
}
