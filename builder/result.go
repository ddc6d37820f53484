package builder

import (
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors/distance"
)

// Result is the report of a finished build; it is stored in the graph, and printed by
// `knng build --json` and `knng info --json`, whose names do not change. Bytes and peaks are 0 where
// the system does not tell.
type Result struct {
	Rows     int    `json:"rows"` // of the graph: isolated ones count, dropped ones do not
	Dim      int    `json:"dim"`
	Type     string `json:"type"`   // of an element: uint8, int8, float16 or float32
	K        int    `json:"k"`      // length of the lists: that asked for, or one less than there are rows
	Metric   string `json:"metric"` // or Options.Distance.Name
	Method   Method `json:"method"` // that was taken, never Auto
	Seed     uint64 `json:"seed"`
	Checksum string `json:"checksum"` // of the lists: hex SHA-256 of the gt export (package store/export)

	Seconds        float64        `json:"seconds"`             // wall time over all runs of this build
	CPUSeconds     float64        `json:"cpu_seconds"`         // of all threads and runs
	Phases         []PhaseSeconds `json:"phases"`              // wall time by phase
	RequestedPairs int64          `json:"requested_pairs"`     // asked for, before the pair cache; controls do not count
	Comparisons    int64          `json:"comparisons"`         // distances evaluated, unordered pairs once each time
	CacheHits      int64          `json:"cache_hits"`          // their difference
	ControlPairs   int64          `json:"control_comparisons"` // evaluated only to measure recall
	ScanRate       float64        `json:"scan_rate"`           // Comparisons / (n(n-1)/2)
	EffectiveRates []float64      `json:"effective_rates"`     // of the paper's divisions: pairs that first shared a leaf in one, of all that had by then
	Divisions      int            `json:"divisions"`           // with balls: leaves that a row stands in
	Rounds         int            `json:"rounds"`              // of propagation or joins
	Axes           int            `json:"axes,omitempty"`      // along which the balls method compared codes; 0: all dimensions
	PairCache      string         `json:"pair_cache"`          // off, shared-leaf, pairs
	Resumed        int            `json:"resumed"`             // times that the build was resumed
	Stop           string         `json:"stop"`                // why it stopped, for people

	Recall     RecallEstimate `json:"recall_estimate"`
	Target     float64        `json:"target"`         // the recall asked for; 0: none was
	Short      bool           `json:"short"`          // the graph is below it: see Err
	Capped     bool           `json:"capped"`         // the options limited what the build might do for it
	Components int            `json:"components"`     // connected components of the symmetrised graph
	Completed  int            `json:"completed_rows"` // compared with all others at the end: left with a short list, or far from all others
	BadRows    int            `json:"bad_rows"`       // isolated or dropped
	Collapsed  int            `json:"collapsed_rows"` // that an equal row was solved for

	PeakAnonBytes int64  `json:"peak_anon_bytes"` // memory of the process without mapped files
	PeakRSSBytes  int64  `json:"peak_rss_bytes"`  // with the pages of mapped files that are resident
	ReadBytes     int64  `json:"read_bytes"`      // by read calls of the process; not what it reads from mapped files
	WrittenBytes  int64  `json:"written_bytes"`   // by write calls
	PeakDiskBytes int64  `json:"peak_disk_bytes"` // store and scratch
	Kernel        string `json:"kernel"`          // instruction set of the last run: distance.Kernel
	Threads       int    `json:"threads"`         // of the last run

	Plan        *plan.Plan `json:"plan,omitempty"`         // the cost that was expected when the build began
	RevisedPlan *plan.Plan `json:"revised_plan,omitempty"` // and when it last turned out to take more stages
}

// RecallEstimate is a measured recall@k with its 95 % interval.
type RecallEstimate = recall.Estimate

// result makes the result of the passes.
func (r *run) result() *Result {
	sum := r.State.Sums()
	sum.Add(r.out.Counts)
	res := &Result{
		Rows: r.Source.Len(), Dim: r.Source.Dim(), Type: r.Source.Type().String(), K: r.out.Length(),
		Metric: r.opts.Metric.String(), Method: Method(r.State.Method), Seed: r.opts.Seed, Checksum: r.out.Checksum,
		RequestedPairs: sum.Requested, Comparisons: sum.Evaluated, CacheHits: sum.Requested - sum.Evaluated,
		ControlPairs: r.State.Control + r.out.Control, ScanRate: sum.ScanRate(r.N()), EffectiveRates: []float64{},
		Divisions: r.State.Count(job.DivisionStage), Rounds: r.State.Count(job.PropagationStage),
		Axes: r.Axes, PairCache: r.pairs.Form(r.Skip), Resumed: r.State.Runs - 1, Stop: r.State.Stop,
		Recall: r.out.Recall, Components: r.out.Components, Completed: r.out.Completed,
		BadRows: len(r.audit.Bad.Rows), Collapsed: r.groups.Len(), Kernel: distance.Kernel(), Threads: r.opts.Threads,
		Plan: r.State.Expected, RevisedPlan: r.State.Revised,
	}
	if r.opts.Distance != nil {
		res.Metric = r.opts.Distance.Name
	}
	if r.Traits.Overlaps {
		res.Divisions = r.Goal.BallsDone(&r.State)
	}
	for _, st := range r.State.Stages {
		if st.Kind == job.DivisionStage && !r.Traits.Overlaps {
			res.EffectiveRates = append(res.EffectiveRates, st.Rate)
		}
	}
	res.judge(&r.Build)
	return res
}

// use sets the use of the machine.
func (r *Result) use(u job.Usage) {
	r.Seconds, r.CPUSeconds = u.Seconds, u.CPUSeconds
	r.PeakAnonBytes, r.PeakRSSBytes, r.PeakDiskBytes = u.PeakAnon, u.PeakRSS, u.PeakDisk
	r.ReadBytes, r.WrittenBytes = u.ReadBytes, u.Written
}
