package builder

import (
	"cmp"
	"iter"
	"runtime"
	"time"

	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/distance"
)

// Options of a build. The zero value of every field means its default; Validate
// reports every fault at once.
type Options struct {
	// These name the result: changing one of them makes another graph.
	K           int             // neighbors per row; 20
	Metric      distance.Metric // Euclidean
	Method      Method          // Auto
	Recall      float64         // target; 0.95 unless Divisions or Rounds are given, then 0: no stopping by recall
	Divisions   int             // so many, or at most so many with Recall (Balls, Parts: leaves that a row stands in); 0: until Recall is reached, with Paper at first until the effective rate falls under Paper.Trigger
	Rounds      int             // so many propagation rounds, or at most so many with Recall; 0: one, and with Recall as many as it takes, which may be none. Parts has none
	LeafSize    int             // g: leaves have fewer rows; 1000, with Paper 500, and at least 4 K. Parts ignores it
	Propagation Switch          // On
	Seed        uint64          // 1
	BadRows     BadRows         // reject
	Duplicates  Duplicates      // keep
	Spare       int             // of the K, the last entries of a list, beyond those whose recall counts: they are there for rows that will be deleted
	Copies      int             // with Collapse: most rows of one group of identical rows in a list; 0: no limit
	Start       *Start          // lists to begin with; Balls reads them, other methods begin with none
	Distance    *Distance       // a user's own distance; nil: Metric over the rows
	Paper       PaperOptions    // what only Paper reads
	Balls       BallsOptions    // what only Balls reads

	// These name further contents of the store; they may not change from run to run either.
	Reference bool             // do not copy the rows: read them from the source, in its order (with balls another graph, as the order is that of its first leaves)
	Scale     *int             // rows are multiplied by 2 to this exponent; nil: where float32 does not hold squares of rows in a sample, by one that suits their median
	IDs       string           // path of a file with one UTF-8 id per line, for every row of the input; those of dropped rows are left out
	IDsName   string           // the name of these ids in errors, where the file is not the user's own; "" is IDs
	Names     iter.Seq[string] // the same ids without a file, in place of IDs: slices.Values(ids). It is gone over several times, and must give the same each time

	// These may change from one run to the next of the same build.
	Threads   int                              // GOMAXPROCS
	Memory    int64                            // bytes that the build plans by, and refuses below; garbage beside it is held only where the program calls HoldHeap; 0: DefaultMemory
	Held      int64                            // bytes of memory that the caller has for the build, as for its rows: a part of the plan, and of Memory
	PairCache Switch                           // chosen from the measured cost of the distance
	Scratch   string                           // "" is DIR/scratch
	Progress  func(Event)                      // called from one goroutine at a time; must be quick
	Then      func(p *plan.Plan) float64       // the seconds of your own work after the build, where the build goes as p says: Event.Share, Event.Left and Told count it in
	Logger    func(format string, args ...any) // Pebble's complaints; may be called by several goroutines at once; nil drops them

	files store.FS      // store.DraftOptions.FS; set by tests
	early time.Duration // DraftOptions.Early with these files
}

// PaperOptions are read by the method Paper alone. Auto takes that method where one of them is
// not its default.
type PaperOptions struct {
	Trigger    float64    // effective rate under which propagation starts; 0.05
	Visits     int        // T: most points visited per row in propagation; 500, and at least 2 K
	Sample     int        // rows of a node that its principal direction is computed from; 100
	Directions Directions // Principal
	Pairwise   Switch     // On: a pair is offered to both ends
	InPlace    bool       // measure only: propagation updates the lists that it reads (one thread, not resumable)
}

// BallsOptions are the constants of Balls beside its leaves, for measurements. Zero fields mean
// the fitted values (bench/cmd/fit): no set that was measured asks for others.
type BallsOptions struct {
	Slack int     // candidates kept beyond k while the graph is built
	Most  int     // rows listing a row that a join takes
	Under float64 // how far under the target joins take over from divisions

	AllAxes bool // compare along all dimensions, by whole bytes
}

// Switch is an option that may be left to the builder.
type Switch uint8

// Values of a Switch.
const (
	Default Switch = iota
	On
	Off
)

// BadRows is the treatment of rows that have no distances: with NaN or Inf, with a squared norm
// beyond a quarter of the largest float32 (not under cosine), zero under cosine and correlation, of
// equal elements under correlation.
type BadRows string

// Treatments of bad rows.
const (
	Reject  BadRows = audit.Reject  // the build ends with a *BadRowsError
	Drop    BadRows = audit.Drop    // left out, and the rows after them move up: rows are numbered anew, and ids tell which is which
	Isolate BadRows = audit.Isolate // kept, with an empty list, and in no other
)

// Duplicates is the treatment of identical rows: rows of the same bytes, as
// converted (-0 is not 0).
type Duplicates string

// Treatments of identical rows. Keep treats them like any others. Collapse
// solves the first of each group of identical rows and gives all of them their
// lists from its own: the k nearest by (key, row) of the group itself, under the
// key of identical rows, and of the groups in its list. By the exact method that
// is the graph of Keep. The recall reported is that of the distinct rows.
//
// Either way a row with k copies or more lists nothing else, since they are its
// nearest, and its group is an island. With Options.Copies a list takes at most so
// many rows of a group, the first ones, as long as others fill it: UMAP wants 1.
// Leaving the others out is no error of the graph, but knng recall counts it.
const (
	Keep     Duplicates = copies.Keep
	Collapse Duplicates = copies.Collapse
)

// Directions says how a node's hyperplane is found.
type Directions string

// Kinds of directions: the paper's, and the random projections that it compares with.
const (
	Principal Directions = "principal"
	Random    Directions = "random"
)

// Distance is a user's own distance between rows. Divisions still use the vectors (as coarse
// features); leaves, union, propagation and recall use Key.
type Distance struct {
	// Name and Version stand for Key in the fingerprint and in the pair cache: a function that
	// gives other values needs another of the two.
	Name    string
	Version int
	// Key is the distance of two rows, by their positions in the input: the smaller the nearer. A
	// call may take from 1 µs to many milliseconds. It must be symmetric, finite and deterministic,
	// and is called by several goroutines at once.
	Key func(a, b store.Row) (float32, error)
}

// Start is lists that are known, of other graphs over these rows: a build begins from them, so
// that reaching its recall costs the pairs that are missing.
type Start struct {
	Name string // names the lists: it is part of the fingerprint
	// Near appends to near rows of the input, by number, that are likely near one, and to keys their
	// keys under the metric of the build. It must give the same each time, and is called by several
	// goroutines at once.
	Near func(row uint32, near []uint32, keys []float32) ([]uint32, []float32, error)
	// Ends says that the rows come in parts, each with lists of its own: part i ends before row
	// Ends[i]. Rows of one part are taken as compared with each other: leaves and joins compare
	// those of different parts until more is missing within parts than across. One part, of all rows,
	// has divisions that compare all pairs of a leaf, but other leaves than those that Name's graph came
	// from. nil: lists are of all rows, and nothing near them was compared.
	Ends []int
}

// The defaults, and the measurements behind them.
const (
	// DefaultK is the paper's middle column (its figures show 1, 20 and 50).
	DefaultK = 20
	// DefaultLeafSize is the paper's g. Smaller leaves cost less but part more
	// neighbors; 250 and 1000 reach equal recall in about equal time.
	DefaultLeafSize = 500
	// DefaultBallSize is the same of balls, whose leaves are products of matrices: a pair costs
	// little, so that the rest of a leaf (its rows are assigned, packed, merged) counts.
	//
	// Smaller: fewer pairs share that cost. Larger: more pairs for the same neighbors. Seconds for
	// recall 0.95 with leaves of 500, and of 1000; 1500 take as long as 1000:
	//
	//	         GIST        SIFT 1M     MNIST
	//	AMX      1.74, 1.38  18.4, 17.1  the same
	//	AVX-512  1.85, 1.77  19.4, 18.0  1.0, 1.15
	//	AVX2     4.6, 4.8                3.3, 4.5
	//
	// By AVX2 pairs are dearer, and a leaf size of 500 is worth a try.
	DefaultBallSize = 1000
	// DefaultTrigger is the paper's threshold of the effective rate.
	DefaultTrigger = 0.05
	// DefaultVisits is T, the points visited around a row.
	DefaultVisits = 500
	// DefaultSample is how many rows give a node its direction. Fewer make
	// divisions more random and hyperplanes worse, more make them alike.
	DefaultSample = fixed.DirectionRows
	// DefaultRecall is the target that a build stops at.
	DefaultRecall = 0.95
	// MaxDivisions bounds a build that never reaches its target.
	MaxDivisions = job.MaxDivisions
	// MaxK bounds the lists; the adjacency format holds more.
	MaxK = 4096
)

// WithDefaults returns o with every zero field set to its default, as Build takes them.
func (o Options) WithDefaults() Options {
	o.K = cmp.Or(o.K, DefaultK)
	o.Metric = cmp.Or(o.Metric, distance.Euclidean)
	o.Method = cmp.Or(o.Method, Auto)
	if o.Recall == 0 && o.Divisions == 0 && o.Rounds == 0 {
		o.Recall = DefaultRecall
	}
	o.Paper.Trigger = cmp.Or(o.Paper.Trigger, DefaultTrigger)
	o.Paper.Visits = cmp.Or(o.Paper.Visits, o.visits())
	o.Paper.Sample = cmp.Or(o.Paper.Sample, DefaultSample)
	o.Propagation = cmp.Or(o.Propagation, On)
	o.Paper.Pairwise = cmp.Or(o.Paper.Pairwise, On)
	o.Paper.Directions = cmp.Or(o.Paper.Directions, Principal)
	o.Seed = cmp.Or(o.Seed, 1)
	o.BadRows = cmp.Or(o.BadRows, Reject)
	o.Duplicates = cmp.Or(o.Duplicates, Keep)
	o.Threads = cmp.Or(o.Threads, runtime.GOMAXPROCS(0))
	o.Memory = cmp.Or(o.Memory, DefaultMemory())
	// A leaf smaller than a list could never fill it.
	o.LeafSize = cmp.Or(o.LeafSize, max(o.leafSize(), 4*o.K))
	return o
}

func (o *Options) visits() int { return max(DefaultVisits, 2*o.K) }

func (o *Options) leafSize() int {
	if o.Method == Paper || o.paperOnly() != "" {
		return DefaultLeafSize
	}
	return DefaultBallSize
}
