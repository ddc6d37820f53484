package shards

import (
	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/pairs"
)

// report is the note of seal: the outcome of a finished run.
type report struct {
	Rows    int    `json:"rows"`
	Places  int    `json:"places"` // rows with a list
	K       int    `json:"k"`
	BadRows int    `json:"bad_rows"`
	Kernel  string `json:"kernel"`
	Threads int    `json:"threads"`

	Requested int64  `json:"requested_pairs"`
	Evaluated int64  `json:"comparisons"`
	Controls  int64  `json:"control_comparisons"`
	Divisions int    `json:"divisions"` // leaves that a row stands in
	Stop      string `json:"stop"`
	Completed int    `json:"completed_rows"`

	Recall  float64 `json:"recall"`
	Low     float64 `json:"low"` // of the 95 % interval
	High    float64 `json:"high"`
	Sample  int     `json:"sample"`  // rows that were measured
	Steered float64 `json:"steered"` // recall of the rows that steered in the end; 1: none did
}

// Result is the result of a run that is finished; fs.ErrNotExist where it is not.
func (s *Run) Result() (*builder.Result, error) {
	r := new(report)
	if err := s.note("seal", 0, r); err != nil {
		return nil, err
	}
	m := &s.spec.Manifest
	counts := job.Counts{Requested: r.Requested, Evaluated: r.Evaluated}
	return &builder.Result{Rows: r.Rows, Dim: m.Dim, Type: m.Type, K: r.K, Metric: m.Metric, Method: builder.Parts, Seed: s.spec.Seed,
		RequestedPairs: r.Requested, Comparisons: r.Evaluated, ControlPairs: r.Controls, ScanRate: counts.ScanRate(r.Places),
		EffectiveRates: []float64{}, Divisions: r.Divisions, PairCache: pairs.NoCache, Stop: r.Stop,
		Recall: builder.RecallEstimate{Recall: r.Recall, Low: r.Low, High: r.High, Sample: r.Sample, Seed: s.spec.Seed},
		Target: s.spec.Recall, Short: s.spec.Recall > 0 && min(r.Steered, r.High) < s.spec.Recall, Capped: s.spec.Divisions > 0,
		Completed: r.Completed, BadRows: r.BadRows, Kernel: r.Kernel, Threads: r.Threads}, nil
}
