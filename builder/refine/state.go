package refine

import (
	"time"

	"github.com/knng/knng/builder"
)

// Stages, as the store numbers their units.
const (
	startStage = 1
	walkStage  = 2
)

// state is the record between runs: the finished stages, and the time they took.
// builder.StagesIn reads the stages.
type state struct {
	Stages  []stage                `json:"stages"`
	Runs    int                    `json:"runs"`
	Seconds float64                `json:"seconds"`
	Phases  []builder.PhaseSeconds `json:"phases"`
}

// stage is a finished stage with its counts.
type stage struct {
	Kind   string `json:"kind"`
	Number int    `json:"number"`
	counts
}

// counts is the note that a unit is committed with.
type counts struct {
	Requested int64 `json:"requested"`
	Evaluated int64 `json:"evaluated"`
}

func (c *counts) add(o counts) {
	c.Requested += o.Requested
	c.Evaluated += o.Evaluated
}

// sums adds up the stages.
func (s *state) sums() (c counts) {
	for _, st := range s.Stages {
		c.add(st.counts)
	}
	return c
}

// save records the state.
func (r *run) save() error {
	now := time.Now()
	r.state.Seconds += now.Sub(r.began).Seconds()
	r.began = now
	return r.draft.Record("state", &r.state)
}

// endStage records a finished stage.
func (r *run) endStage(kind string, c counts) error {
	r.state.Stages = append(r.state.Stages, stage{Kind: kind, Number: 1, counts: c})
	return r.save()
}

// Result is the report of a finished refinement; it is stored in the graph.
// JSON names are those of builder.Result where both have them.
type Result struct {
	Rows        int     `json:"rows"`
	Dim         int     `json:"dim"`
	Type        string  `json:"type"`
	K           int     `json:"k"`
	Metric      string  `json:"metric"` // the name of the distance
	Method      string  `json:"method"` // "refine"
	RefinedFrom string  `json:"refined_from"`
	Checksum    string  `json:"checksum"`
	Seconds     float64 `json:"seconds"` // wall time over all runs

	Phases         []builder.PhaseSeconds `json:"phases"`
	RequestedPairs int64                  `json:"requested_pairs"`
	Comparisons    int64                  `json:"comparisons"`
	CacheHits      int64                  `json:"cache_hits"`
	ScanRate       float64                `json:"scan_rate"`
	Visits         int                    `json:"visits"`         // T
	Kept           float64                `json:"kept"`           // share of the entries that G1's list, cut or not, has as well
	Completed      int                    `json:"completed_rows"` // compared with all others
	PairCache      string                 `json:"pair_cache"`     // off, pairs
	Resumed        int                    `json:"resumed"`        // times that it was resumed
	Threads        int                    `json:"threads"`
}

// Method is the value of Result.Method.
const Method = "refine"
