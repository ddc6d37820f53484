package builder

import "github.com/knng/knng/builder/plan"

// Result is the report of a finished build; it is stored in the graph, and printed by
// `knng build --json` and `knng info --json`, whose names do not change.
type Result struct {
	Rows     int    `json:"rows"`
	Dim      int    `json:"dim"`
	Type     string `json:"type"`
	K        int    `json:"k"`
	Metric   string `json:"metric"`
	Method   Method `json:"method"`
	Seed     uint64 `json:"seed"`
	Checksum string `json:"checksum"`

	Seconds        float64        `json:"seconds"` // wall time over all runs of this build
	CPUSeconds     float64        `json:"cpu_seconds"`
	Phases         []PhaseSeconds `json:"phases"`
	RequestedPairs int64          `json:"requested_pairs"`     // asked for, before the pair cache; controls do not count
	Comparisons    int64          `json:"comparisons"`         // distances evaluated, unordered pairs once each time
	CacheHits      int64          `json:"cache_hits"`          // their difference
	ControlPairs   int64          `json:"control_comparisons"` // evaluated only to measure recall
	ScanRate       float64        `json:"scan_rate"`           // Comparisons / (n(n-1)/2)
	EffectiveRates []float64      `json:"effective_rates"`     // of the paper's divisions: pairs that first shared a leaf in one, of all that had by then
	Divisions      int            `json:"divisions"`           // with balls: leaves that a row stands in
	Rounds         int            `json:"rounds"`
	Axes           int            `json:"axes,omitempty"` // along which the balls method compared codes; 0: all dimensions
	PairCache      string         `json:"pair_cache"`     // off, shared-leaf, pairs
	Resumed        int            `json:"resumed"`        // times that the build was resumed
	Stop           string         `json:"stop"`

	Recall     RecallEstimate `json:"recall_estimate"`
	Target     float64        `json:"target"`     // the recall asked for; 0: none was
	Short      bool           `json:"short"`      // the graph is below it: see Err
	Capped     bool           `json:"capped"`     // the options limited what the build might do for it
	Components int            `json:"components"` // connected components of the symmetrised graph
	Completed  int            `json:"completed_rows"`
	BadRows    int            `json:"bad_rows"`
	Collapsed  int            `json:"collapsed_rows"` // that an equal row was solved for

	PeakAnonBytes int64  `json:"peak_anon_bytes"`
	PeakRSSBytes  int64  `json:"peak_rss_bytes"`
	ReadBytes     int64  `json:"read_bytes"`
	WrittenBytes  int64  `json:"written_bytes"`
	PeakDiskBytes int64  `json:"peak_disk_bytes"`
	Kernel        string `json:"kernel"`
	Threads       int    `json:"threads"`

	Plan        *plan.Plan `json:"plan,omitempty"`         // the cost that was expected when the build began
	RevisedPlan *plan.Plan `json:"revised_plan,omitempty"` // and when it last turned out to take more stages
}

// RecallEstimate is a measured recall@k with its 95 % interval.
type RecallEstimate struct {
	Recall float64 `json:"recall"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Sample int     `json:"sample"` // rows whose exact lists were computed
	Seed   uint64  `json:"seed"`
}
