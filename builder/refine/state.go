package refine

import (
	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/job"
)

// Stages, as the store numbers their units.
const (
	startStage = 1
	walkStage  = 2
)

// endStage records a finished stage.
func (r *run) endStage(kind string, c job.Counts) error {
	r.State.Stages = append(r.State.Stages, job.Stage{Kind: kind, Number: 1, Requested: c.Requested, Evaluated: c.Evaluated})
	return r.Save()
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
