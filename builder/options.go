package builder

import (
	"time"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Method selects how the graph is built.
type Method string

// The methods.
const (
	Auto  Method = "auto"  // exact where counts predict that it is cheaper, else paper
	Exact Method = "exact" // all pairs
	Paper Method = "paper" // random divisions and neighborhood propagation
)

// Options of a build. The zero value of every field means its default; Validate
// reports every fault at once.
type Options struct {
	// What names the result: changing one of these makes another graph.
	K           int             // neighbors per row; 20
	Metric      distance.Metric // Euclidean
	Method      Method          // Auto
	Recall      float64         // target; 0.95 unless Divisions or Rounds are given, then 0: no stopping by recall
	Divisions   int             // fixed number of divisions; 0: until the effective rate falls under Trigger
	Rounds      int             // propagation rounds; 0: 1
	LeafSize    int             // g: leaves have fewer rows; 500
	Trigger     float64         // effective rate under which propagation starts; 0.05
	Visits      int             // T: most points visited per row in propagation; 500
	Sample      int             // rows of a node that its principal direction is computed from; 100
	Propagation Switch          // On
	Pairwise    Switch          // On: a pair is offered to both ends
	InPlace     bool            // measure only: propagation updates the lists that it reads (one thread, not resumable)
	Directions  Directions      // Principal
	Seed        uint64          // 1
	BadRows     BadRows         // reject
	Duplicates  Duplicates      // keep
	Distance    *Distance       // a user's own distance; nil: Metric over the rows

	// What may change from one run to the next of the same build.
	Threads   int         // GOMAXPROCS
	Memory    int64       // bytes; 0: half of what the machine or its cgroup offers
	PairCache Switch      // chosen from the measured cost of the distance
	Scratch   string      // "" is DIR/scratch
	Reference bool        // do not copy the rows: read them from the source (names the store's shape, not its graph)
	IDs       string      // path of a file with one UTF-8 id per line
	Progress  func(Event) // called from one goroutine at a time; must be quick
	Logger    func(format string, args ...any)
}

// Switch is an option that may be left to the builder.
type Switch uint8

// Values of a Switch.
const (
	Default Switch = iota
	On
	Off
)

// BadRows says what becomes of rows with NaN or Inf, and of zero rows under cosine.
type BadRows string

// Treatments of bad rows.
const (
	Reject  BadRows = "error"
	Drop    BadRows = "drop"
	Isolate BadRows = "isolate"
)

// Duplicates says what becomes of identical rows.
type Duplicates string

// Treatments of duplicates.
const (
	Keep     Duplicates = "keep"
	Collapse Duplicates = "collapse"
)

// Directions says how a node's hyperplane is found.
type Directions string

// Kinds of directions: the paper's, and the random projections that it compares with.
const (
	Principal Directions = "principal"
	Random    Directions = "random"
)

// Distance is a user's own distance between rows, addressed by input position,
// expected to cost from 1 µs to many milliseconds a call. Smaller is nearer;
// it must be symmetric, finite, deterministic and safe for concurrent use.
// Divisions still use the vectors (as coarse features); leaves, union,
// propagation and recall use Key. Name and Version are part of the fingerprint
// and of the pair cache's keys.
type Distance struct {
	Name    string
	Version int
	Key     func(a, b store.Row) (float32, error)
}

// Event is a typed progress report.
type Event struct {
	Phase   string        // "audit", "order", "division 3", "propagation 1", "exact", "finish", "recall", "seal"
	Done    int64         // units of this phase done
	Total   int64         // units of this phase; 0 if unknown
	Unit    string        // what is counted: "rows", "leaves", "blocks"
	Elapsed time.Duration // since the phase began
	Message string        // a line worth keeping, such as "division 3: effective rate 0.113"; often empty
	End     bool          // the phase is over
}

// Result is what a finished build reports; it is stored in the graph and
// printed by build and info. JSON names are CONTRACT's.
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
	RequestedPairs int64          `json:"requested_pairs"`
	Comparisons    int64          `json:"comparisons"`
	CacheHits      int64          `json:"cache_hits"`
	ControlPairs   int64          `json:"control_comparisons"`
	ScanRate       float64        `json:"scan_rate"`
	EffectiveRates []float64      `json:"effective_rates"`
	Divisions      int            `json:"divisions"`
	Rounds         int            `json:"rounds"`
	PairCache      string         `json:"pair_cache"` // off, shared-leaf, pairs
	Resumed        int            `json:"resumed"`    // times that the build was resumed
	Stop           string         `json:"stop"`

	Recall     RecallEstimate `json:"recall_estimate"`
	Components int            `json:"components"` // connected components of the symmetrised graph
	Completed  int            `json:"completed_rows"`
	BadRows    int            `json:"bad_rows"`

	PeakAnonBytes int64  `json:"peak_anon_bytes"`
	PeakRSSBytes  int64  `json:"peak_rss_bytes"`
	ReadBytes     int64  `json:"read_bytes"`
	WrittenBytes  int64  `json:"written_bytes"`
	PeakDiskBytes int64  `json:"peak_disk_bytes"`
	Kernel        string `json:"kernel"`
	Threads       int    `json:"threads"`
}

// PhaseSeconds is the time of one phase over all runs of a build.
type PhaseSeconds struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// RecallEstimate is a measured recall@k with its 95 % interval.
type RecallEstimate struct {
	Recall float64 `json:"recall"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Sample int     `json:"sample"` // rows whose exact lists were computed
	Seed   uint64  `json:"seed"`
}

// Validate reports every fault of the options at once.
func (o *Options) Validate() error { panic("stub") }

var _ vectors.Source // the input of Build
