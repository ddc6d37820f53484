package builder

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/knng/knng/builder/internal/balls"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/exact"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/kdtree"
	"github.com/knng/knng/builder/internal/paper"
	"github.com/knng/knng/builder/internal/parts"
	"github.com/knng/knng/builder/internal/points"
)

// Method selects how the graph is built.
type Method string

// The methods.
const (
	Auto  Method = "auto"          // exact where counts predict that it is cheaper, else paper where only it can, else balls, or Parts where their lists exceed 4 GiB
	Exact Method = job.ExactMethod // all pairs
	Tree  Method = "tree"          // exact lists by a k-d tree, of at most eight dimensions under euclidean and sqeuclidean; what Auto takes there for more than 20,000 rows
	Paper Method = "paper"         // divisions by hyperplanes and best-first propagation
	Balls Method = job.BallsMethod // divisions by overlapping balls and joins, over codes; not for inner products or a distance of one's own
	Parts Method = job.PartsMethod // like Balls, in parts that fit in memory, without joins; what Auto takes for large inputs
)

// Methods lists the names of all methods, Auto first.
func Methods() []Method {
	return append([]Method{Auto}, slices.Sorted(maps.Keys(methods))...)
}

// MethodNames lists them for messages.
func MethodNames() string {
	var names []string
	for _, m := range Methods() {
		names = append(names, string(m))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// traits are the properties of a method that options and passes ask for before it is under way.
type traits struct {
	open      func(*run) build.Method
	codes     points.Use
	mostRows  int64  // that it takes; 0: as many as any
	complete  bool   // compares all pairs: nothing is left to steer or to measure
	overlaps  bool   // its divisions have a row in several leaves
	rounds    bool   // has rounds of propagation
	leaves    bool   // takes a leaf size
	pairCache bool   // keeps pairs that it has computed
	labels    bool   // keeps the leaf numbers of every division in memory
	inOrder   bool   // rows stay in the order of the input, and nothing is in memory that grows with them but through the ledger
	byShare   bool   // as many rows steer as cost a share of its comparisons
	inParts   Method // takes less memory for the same; "": none does
}

// methods are all methods but Auto. To add one, write a package, its name and its line here.
var methods map[Method]traits

func init() {
	methods = map[Method]traits{
		Exact: {open: func(r *run) build.Method { return exact.New(&r.Build) }, codes: points.PairCodes, complete: true},
		Tree:  {open: func(r *run) build.Method { return kdtree.Open(&r.Build) }, complete: true},
		Paper: {open: func(r *run) build.Method { return paper.New(&r.Build, r.opts.paper()) }, rounds: true, leaves: true, pairCache: true, labels: true, byShare: true},
		Balls: {open: func(r *run) build.Method { return balls.New(&r.Build, r.opts.balls()) }, codes: points.CandidateCodes, mostRows: candidates.MaxPlaces,
			overlaps: true, rounds: true, leaves: true, inParts: Parts},
		Parts: {open: func(r *run) build.Method {
			return parts.New(&r.Build, parts.Options{Slack: r.opts.planned().Slack, Memory: partsMemory{r}})
		}, codes: points.GroupCodes, overlaps: true, inOrder: true},
	}
}

// balls returns the options that only the balls method reads.
func (o *Options) balls() balls.Options {
	b := balls.Options{K: o.K, Aim: cmp.Or(o.Recall, DefaultRecall), Slack: o.Course.Slack, Most: o.Course.Most, Under: o.Course.Under}
	if o.Start != nil {
		b.Known, b.Ends = o.Start.Near, o.Start.Ends
	}
	return b
}

// paper returns the options that only the paper's method reads.
func (o *Options) paper() paper.Options {
	return paper.Options{Trigger: o.Trigger, Visits: o.Visits, Pairwise: o.Pairwise != Off, InPlace: o.InPlace, Reuse: o.PairCache != Off}
}
