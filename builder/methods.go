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
	// Auto chooses for you: Exact if the counts predict that it is cheaper, Tree for rows of few
	// dimensions, Paper if another option needs it, Parts if the lists of Balls would exceed 4 GiB,
	// else Balls.
	Auto  Method = job.AutoMethod
	Exact Method = job.ExactMethod // all pairs
	Tree  Method = job.TreeMethod  // exact lists by a k-d tree; at most 8 dimensions, euclidean and sqeuclidean only
	Paper Method = job.PaperMethod // divisions by hyperplanes and best-first propagation
	Balls Method = job.BallsMethod // divisions by overlapping balls, then joins, comparing codes; no distance of your own
	Parts Method = job.PartsMethod // like Balls, without joins, in parts that fit in memory; every metric
)

// Methods lists the names of all methods, Auto first.
func Methods() []Method {
	return append([]Method{Auto}, slices.Sorted(maps.Keys(methods))...)
}

// MethodNames lists the methods for messages.
func MethodNames() string {
	var names []string
	for _, m := range Methods() {
		names = append(names, string(m))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// kind is a method: its properties, and how a build with it is made.
type kind struct {
	build.Traits
	open func(*run) build.Method
}

// open returns a method by its name, not yet started, and its properties.
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
