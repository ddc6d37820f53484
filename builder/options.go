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

// Options of a build. The zero value of every field means its default, which is named last in the
// field's comment; Validate reports every fault at once.
type Options struct {
	// The result depends on the fields from here on: another value makes another graph.
	K      int             // neighbors of a row; 20
	Metric distance.Metric // Euclidean
	Method Method          // Auto
	// Recall is the target at which the build stops; 0.95, or no target if Divisions or Rounds are given.
	Recall float64
	// Divisions is the number of divisions, or their maximum if Recall is given. With Balls and Parts
	// it counts the leaves that a row is in. 0: as many as Recall takes; with Paper the first
	// divisions go on until the effective rate falls below Paper.Trigger.
	Divisions int
	// Rounds is the number of propagation rounds, or their maximum if Recall is given. Parts has
	// none. 0: one round, or as many as Recall takes.
	Rounds int
	// LeafSize is g: leaves have fewer rows. Parts ignores it. 1000, with Paper 500, and at least 4 K.
	LeafSize    int
	Propagation Switch     // On
	Seed        uint64     // 1
	BadRows     BadRows    // Reject
	Duplicates  Duplicates // Keep
	// Spare is how many of the K entries of a list, the last ones, do not count for recall. They
	// replace the rows that will be deleted.
	Spare int
	// Copies is the maximum number of rows from one group of identical rows in a list, with
	// Collapse; 0: no maximum.
	Copies   int
	Start    *Start       // lists to begin with, which only Balls reads; nil: empty lists
	Distance *Distance    // a distance of your own; nil: Metric over the rows
	Paper    PaperOptions // only Paper reads these
	Balls    BallsOptions // only Balls reads these

	// The fields from here on decide what else the store holds. They may not change from run to run
	// either.
	//
	// Reference leaves the rows in the source file and in its order, instead of copying them into the
	// store. With Balls this makes another graph, since the first leaves depend on the order.
	Reference bool
	// Scale is the exponent of a power of two by which rows are multiplied. nil: 0, unless the
	// squares of sampled rows overflow or underflow float32; then one that suits their median.
	Scale *int
	// IDs is the path of a file with one UTF-8 id per line, for every row of the input. The ids of
	// dropped rows are left out. "": rows have no ids, or those of Names.
	IDs     string
	IDsName string // the name of the file IDs in errors; "": its path
	// Names yields the ids, in place of a file: slices.Values(ids). It is iterated over several times
	// and must yield the same ids each time.
	Names iter.Seq[string]

	// The fields from here on may change from one run to the next of the same build.
	Threads int // GOMAXPROCS
	// Memory is the limit in bytes that the build plans for; if it is too low, Build refuses with
	// ErrMemory. Garbage on Go's heap keeps within it only if the program calls HoldHeap. 0: DefaultMemory.
	Memory    int64
	Held      int64       // bytes of Memory that the caller already uses for the build, as for its rows; 0
	PairCache Switch      // chosen by the measured cost of the distance
	Scratch   string      // folder for temporary files; DIR/scratch
	Progress  func(Event) // called from one goroutine at a time; must return quickly; nil: no reports
	// Then returns the seconds of your own work after the build, if the build goes as p says.
	// Event.Share, Event.Left and Told include them. nil: no work.
	Then   func(p *plan.Plan) float64
	Logger func(format string, args ...any) // takes Pebble's complaints, from several goroutines at once; nil drops them

	files store.FS      // store.DraftOptions.FS; set by tests
	early time.Duration // DraftOptions.Early with these files
}

// PaperOptions are read by the method Paper alone. Auto chooses Paper if one of them is not its
// default.
type PaperOptions struct {
	Trigger    float64    // effective rate under which propagation starts; 0.05
	Visits     int        // T: the maximum number of points visited per row in propagation; 500, and at least 2 K
	Sample     int        // rows of a node from which its principal direction is computed; 100
	Directions Directions // Principal
	Pairwise   Switch     // On: a pair is offered to both ends
	InPlace    bool       // for measurements: propagation updates the lists that it reads (one thread, not resumable)
}

// BallsOptions are the constants of Balls beside the leaf size, for measurements. Zero fields mean
// the fitted values (bench/cmd/fit); none of the measured sets needs others.
type BallsOptions struct {
	Slack int     // candidates kept beyond k while the graph is built
	Most  int     // maximum number of rows listing a row that a join takes
	Under float64 // joins take over from divisions at this much below the target recall

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

// BadRows is the treatment of rows that have no distances: rows with NaN or Inf; rows whose squared
// norm exceeds a quarter of the largest float32 (except under cosine); zero rows under cosine and
// correlation; rows of equal elements under correlation.
type BadRows string

// Treatments of bad rows.
const (
	Reject  BadRows = audit.Reject  // the build ends with a *BadRowsError
	Drop    BadRows = audit.Drop    // left out; the rows after them move up and get new numbers, but keep their ids
	Isolate BadRows = audit.Isolate // kept, with an empty list, and in no other list
)

// Duplicates is the treatment of identical rows: rows of the same bytes, as
// converted (-0 is not 0).
type Duplicates string

// Treatments of identical rows. Keep treats them like any others. Collapse computes one list for
// each group of identical rows, that of its first row, and derives the lists of all rows from
// these: a row lists the k nearest, by (key, row), among its own group and the groups in that
// list. With the exact method this gives the graph of Keep. The reported recall is that of the
// distinct rows.
//
// Either way a row with k or more copies lists only copies, since they are its nearest, and its
// group is an island. Options.Copies limits how many rows of one group a list takes, as long as
// other groups can fill it; UMAP wants 1. The copies left out are no fault of the graph, but knng
// recall counts them as missing.
const (
	Keep     Duplicates = copies.Keep
	Collapse Duplicates = copies.Collapse
)

// Directions is the way to find the hyperplane of a node.
type Directions string

// Kinds of directions: the paper's, and the random projections that it compares with.
const (
	Principal Directions = "principal"
	Random    Directions = "random"
)

// Distance is a user's own distance between rows. Divisions still use the vectors (as coarse
// features); leaves, union, propagation and recall use Key.
type Distance struct {
	// Name and Version identify Key in the fingerprint and in the pair cache. Change one of them
	// whenever Key returns other values.
	Name    string
	Version int
	// Key returns the distance of two rows, given by their positions in the input; smaller is nearer.
	// A call may take from 1 µs to many milliseconds. Key must be symmetric, finite and deterministic,
	// and is called by several goroutines at once.
	Key func(a, b store.Row) (float32, error)
}

// Start holds the lists of earlier graphs over the same rows. A build that begins from them
// compares mostly the pairs that are still missing.
type Start struct {
	Name string // names the lists: it is part of the fingerprint
	// Near appends to near the input rows that the lists have for row, and to keys their keys under
	// the metric of the build. It must return the same each time, and is called by several goroutines
	// at once.
	Near func(row uint32, near []uint32, keys []float32) ([]uint32, []float32, error)
	// Ends divides the rows into parts, each with lists of its own: part i ends before row Ends[i].
	// The build assumes that rows of one part have been compared, so its leaves and joins compare
	// rows of different parts only, until more neighbors are missing within parts than across. With a
	// single part, of all rows, divisions compare all pairs of a leaf, but draw other leaves than
	// those that made the lists. nil: the lists are of all rows, and no pairs near them were compared.
	Ends []int
}

// The defaults, and the measurements behind them.
const (
	// DefaultK is the paper's middle column (its figures show 1, 20 and 50).
	DefaultK = 20
	// DefaultLeafSize is the paper's g. Smaller leaves cost less but separate more neighbors; 250 and
	// 1000 reach equal recall in about equal time.
	DefaultLeafSize = 500
	// DefaultBallSize is the leaf size of balls. Their leaves are solved as matrix products: a pair
	// costs little, so the rest of a leaf counts (its rows are assigned, packed and merged).
	//
	// Wrong if smaller: fewer pairs share that cost. Wrong if larger: more pairs for the same
	// neighbors. Seconds for recall 0.95 with leaves of 500 and of 1000; 1500 takes as long as 1000:
	//
	//	         GIST        SIFT 1M     MNIST
	//	AMX      1.74, 1.38  18.4, 17.1  the same
	//	AVX-512  1.85, 1.77  19.4, 18.0  1.0, 1.15
	//	AVX2     4.6, 4.8                3.3, 4.5
	//
	// With AVX2 pairs cost more, and a leaf size of 500 is worth a try.
	DefaultBallSize = 1000
	// DefaultTrigger is the paper's threshold of the effective rate.
	DefaultTrigger = 0.05
	// DefaultVisits is T, the points visited around a row.
	DefaultVisits = 500
	// DefaultSample is the number of rows that a node's direction is computed from. Fewer make
	// divisions more random and hyperplanes worse; more make divisions alike.
	DefaultSample = fixed.DirectionRows
	// DefaultRecall is the target at which a build stops.
	DefaultRecall = 0.95
	// MaxDivisions ends a build that never reaches its target.
	MaxDivisions = job.MaxDivisions
	// MaxK is the largest Options.K. The file format could hold more.
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
