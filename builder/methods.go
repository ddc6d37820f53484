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

// kind is a method before it is under way.
type kind struct {
	build.Traits
	open func(*run) build.Method
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
			return parts.New(&r.Build, parts.Options{Slack: r.opts.planned().Slack, Memory: r.cost})
		}},
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

// paperOnly names an option that only the paper's method knows; "" if
// there is none.
func (o *Options) paperOnly() string {
	switch {
	case o.Distance != nil:
		return "a distance of your own"
	case o.Trigger != DefaultTrigger:
		return "a trigger"
	case o.Visits != o.visits():
		return "a number of visits"
	case o.Sample != DefaultSample:
		return "a sample for directions"
	case o.Pairwise != On:
		return "lists without the pairwise update"
	case o.Directions != Principal:
		return "random directions"
	case o.InPlace:
		return "updates in place"
	}
	return ""
}

// unused names the options that were given and that a method has no use for.
func (o *Options) unused(m Method) (names []string) {
	given := func(is bool, name string) {
		if is {
			names = append(names, name)
		}
	}
	t := methods[m]
	given(t.Complete && o.Divisions > 0, "divisions")
	given(o.Rounds > 0 && (!t.Rounds || o.Propagation == Off), "rounds")
	given(!t.Leaves && o.LeafSize != max(o.leafSize(), 4*o.K), "leaf size")
	given(!t.Rounds && o.Propagation == Off, "propagation")
	given(!t.PairCache && o.Distance == nil && o.PairCache == On, "pair cache")
	given(t.Complete && o.Distance == nil && o.paperOnly() != "", o.paperOnly())
	return names
}

// planned returns the schedule of the balls method.
func (o *Options) planned() job.Schedule {
	b := o.balls()
	return b.Schedule()
}
