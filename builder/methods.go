package builder

import (
	"maps"
	"slices"
	"strings"

	"github.com/knng/knng/builder/internal/balls"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/exact"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/paper"
	"github.com/knng/knng/builder/internal/parts"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/tree"
)

// Method selects how the graph is built.
type Method string

// The methods.
const (
	Auto  Method = job.AutoMethod  // exact where counts predict that it is cheaper, else paper where only it can, else balls, or Parts where their lists exceed 4 GiB
	Exact Method = job.ExactMethod // all pairs
	Tree  Method = job.TreeMethod  // exact lists by a k-d tree, of at most eight dimensions under euclidean and sqeuclidean; what Auto takes there for more than 20,000 rows
	Paper Method = job.PaperMethod // divisions by hyperplanes and best-first propagation
	Balls Method = job.BallsMethod // divisions by overlapping balls and joins, over codes; not for a distance of one's own
	Parts Method = job.PartsMethod // like Balls, in parts that fit in memory, without joins, under every metric; what Auto takes for large inputs
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

// kind is a method before it is under way.
type kind struct {
	build.Traits
	open func(*run) build.Method
}

// open returns a method on the build by its name, not under way, and its properties.
func (r *run) open(name string) (build.Method, build.Traits) {
	m := methods[Method(name)]
	return m.open(r), m.Traits
}

// methods are all methods but Auto. To add one, write a package, its name and its line here.
var methods map[Method]kind

func init() {
	methods = map[Method]kind{
		Exact: {build.Traits{Codes: points.PairCodes, Complete: true}, func(r *run) build.Method { return exact.New(&r.Build) }},
		Tree:  {build.Traits{Complete: true}, func(r *run) build.Method { return tree.New(&r.Build) }},
		Paper: {build.Traits{Rounds: true, Leaves: true, PairCache: true, Labels: true, ByShare: true},
			func(r *run) build.Method { return paper.New(&r.Build, r.opts.paper()) }},
		Balls: {build.Traits{Codes: points.CandidateCodes, MostRows: candidates.MaxPlaces, Overlaps: true, Rounds: true, Leaves: true, InParts: job.PartsMethod},
			func(r *run) build.Method { return balls.New(&r.Build, r.opts.balls()) }},
		Parts: {build.Traits{Codes: points.GroupCodes, Overlaps: true, InOrder: true}, func(r *run) build.Method {
			return parts.New(&r.Build, parts.Options{Slack: r.opts.planned().Slack, Memory: &r.cost})
		}},
	}
}
