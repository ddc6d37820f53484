package builder

import (
	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
)

// A method is one way to build a graph, under way. All that is the same for every
// method (reading the input, controls, completing short lists, measuring, sealing) is
// the builder's.
type method interface {
	// forecast adds to a shape what a plan counts of this method.
	forecast(s *plan.Shape)
	// expected is how many divisions, or leaves that a row stands in, and how many
	// rounds a build takes that is left to itself.
	expected(aim *plan.Aim) (divisions int, rounds float64)
	// settle records in the state what is decided before the first stage.
	settle()
	// arrange returns the locality order of the rows given, in which order[place] is the
	// number of a row. Codes that it made it leaves with the points.
	arrange(given *vectors.Rows, progress func(rows int)) ([]uint32, error)
	// resume brings into memory what the committed stages left.
	resume() error
	// prepare comes before the stages, when the rows that steer are known.
	prepare() error
	// next decides the stage after those done: its kind, or why the build stops. It looks
	// at counts and at the steering rows only, never at clocks, so the decision is the
	// same on every machine.
	next() (kind, stop string)
	// writes is the least that a stage will write to the store and to the scratch folder.
	writes(kind string) (stored, scratch int64, err error)
	// stage does the next stage, which is of this kind.
	stage(kind string) error
	// finish makes the graph of what the stages found.
	finish() (*Result, error)
	// free gives back memory.
	free()
}

// traits are what options and passes know of a method that is not under way.
type traits struct {
	open      func(*run) method
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
		Exact: {open: func(r *run) method { return &exactMethod{run: r} }, codes: points.PairCodes, complete: true},
		Tree:  {open: func(r *run) method { return &treeMethod{run: r} }, complete: true},
		Paper: {open: func(r *run) method { return &paperMethod{run: r} }, rounds: true, leaves: true, pairCache: true, labels: true, byShare: true},
		Balls: {open: func(r *run) method { return &ballsMethod{run: r} }, codes: points.CandidateCodes, mostRows: candidates.MaxPlaces,
			overlaps: true, rounds: true, leaves: true, inParts: Parts},
		Parts: {open: func(r *run) method { return &partsMethod{run: r} }, codes: points.GroupCodes, overlaps: true, inOrder: true},
	}
}
