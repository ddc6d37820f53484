package builder

import (
	"cmp"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/internal/balls"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/exact"
	"github.com/knng/knng/builder/internal/kdtree"
	"github.com/knng/knng/builder/internal/paper"
	"github.com/knng/knng/builder/internal/points"
)

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

// methods are all methods, by name. To add one, write a room and its line here.
var methods map[Method]traits

func init() {
	methods = map[Method]traits{
		Exact: {open: func(r *run) build.Method { return exact.New(&r.Build) }, codes: points.PairCodes, complete: true},
		Tree:  {open: func(r *run) build.Method { return kdtree.Open(&r.Build) }, complete: true},
		Paper: {open: func(r *run) build.Method { return paper.New(&r.Build, r.opts.paper()) }, rounds: true, leaves: true, pairCache: true, labels: true, byShare: true},
		Balls: {open: func(r *run) build.Method { return balls.New(&r.Build, r.opts.balls()) }, codes: points.CandidateCodes, mostRows: candidates.MaxPlaces,
			overlaps: true, rounds: true, leaves: true, inParts: Parts},
		Parts: {open: func(r *run) build.Method { return &partsMethod{run: r} }, codes: points.GroupCodes, overlaps: true, inOrder: true},
	}
}

// balls returns the options that only the balls method reads.
func (o *Options) balls() balls.Options {
	return balls.Options{K: o.K, Aim: cmp.Or(o.Recall, DefaultRecall), Slack: o.Course.Slack, Most: o.Course.Most, Under: o.Course.Under}
}

// paper returns the options that only the paper's method reads.
func (o *Options) paper() paper.Options {
	return paper.Options{Trigger: o.Trigger, Visits: o.Visits, Pairwise: o.Pairwise != Off, InPlace: o.InPlace, Reuse: o.PairCache != Off}
}
