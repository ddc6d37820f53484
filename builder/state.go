package builder

import (
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/progress"
)

// state is the build's memory between runs: what has been decided and done. It
// is recorded after every stage; units within a stage are the store's to know.
type state struct {
	Method string `json:"method"` // by name, never that which is to be chosen
	// Rows with a list: the input less dropped and isolated rows.
	Rows    int     `json:"rows"`
	Plan    course  `json:"plan"`              // of the balls method
	Side    int     `json:"side,omitempty"`    // rows of a block of the exact method
	Means   string  `json:"means,omitempty"`   // by which candidates are compared from the first stage on: "keys", or codes
	Ceiling float64 `json:"ceiling,omitempty"` // the recall that codes can have, where it was measured
	// What the build was expected to take when it began, and when it last turned out to
	// take more stages than that.
	Expected *plan.Plan              `json:"expected,omitempty"`
	Revised  *plan.Plan              `json:"revised,omitempty"`
	Stages   []stage                 `json:"stages"`
	Steer    int                     `json:"steer"`                 // rows in the steering sample; 0: no stopping by recall
	Drawn    int                     `json:"steer_drawn,omitempty"` // how they were drawn, as steeringDrawn
	Stop     string                  `json:"stop"`                  // why there are no more stages; "" until then
	Runs     int                     `json:"runs"`
	Usage    usage                   `json:"usage"`
	Control  int64                   `json:"control"` // comparisons spent on steering rows
	Phases   []progress.PhaseSeconds `json:"phases"`
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

// course is how the balls method goes about a build, settled before its first
// stage.
type course struct {
	Balls  int     `json:"balls"`  // that a row stands in altogether, where recall does not steer
	Slack  int     `json:"slack"`  // candidates kept beyond k
	Most   int     `json:"most"`   // rows that list a row which a join takes
	Switch float64 `json:"switch"` // recall from which joins take over from divisions
	Marks  int     `json:"marks"`  // of an entry of a list on disk
}
