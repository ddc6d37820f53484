package build

import (
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors"
)

// Method is a way to build a graph, in progress. The builder does everything that is common to all methods:
// reading the input, controls, completing short lists, measuring, sealing.
type Method interface {
	// Forecast adds this method's kind and counts to the shape of a plan.
	Forecast(s *plan.Shape)
	// Expected returns the number of divisions, or of leaves that a row is in, and of rounds, of a build
	// without limits.
	Expected(aim *plan.Aim) (divisions int, rounds float64)
	// Settle records in the state the decisions before the first stage.
	Settle()
	// Arrange returns the locality order of the given rows: order[place] is the number of a row.
	// It leaves the codes that it made with the points.
	Arrange(given *vectors.Rows, progress func(rows int)) ([]uint32, error)
	// Resume loads the results of the committed stages.
	Resume() error
	// Prepare runs before the stages, after the steering sample has its exact lists.
	Prepare() error
	// Next returns the kind of the next stage, or why the build stops. It depends only on counts and the
	// steering sample, never on a clock, so every machine decides alike.
	Next() (kind, stop string)
	// Writes returns the least bytes that a stage will write to the store and to the scratch folder.
	Writes(kind string) (stored, scratch int64, err error)
	// Stage does the next stage, of this kind: one that Next returned, or job.JoinStage after Next reported
	// that recall suffices. For the latter it calls Build.JoinSteering, if the present lists are Build.Lists.
	Stage(kind string) error
	// Recalls returns the recall of the lists so far at each place of truth.
	Recalls(truth *recall.Lists) ([]float64, error)
	// Finish makes Build.Lists from the results of the stages.
	Finish() error
	// Free frees memory.
	Free()
}

// Traits are the properties of a method that options and passes need, even before it starts.
type Traits struct {
	Codes     points.Use
	MostRows  int64  // most rows that it takes; 0: any number
	Complete  bool   // compares all pairs: nothing is left to steer or to measure
	Overlaps  bool   // a row is in several leaves of a division
	Rounds    bool   // has rounds of propagation
	Leaves    bool   // takes a leaf size
	PairCache bool   // keeps computed pairs
	Labels    bool   // keeps the leaf numbers of every division in memory
	InOrder   bool   // rows stay in the order of the input, and memory that grows with them comes only from the ledger
	ByShare   bool   // the number of steering rows depends on the comparisons
	InParts   string // the method that needs less memory for the same graph; "": none
}

// Foreseeing is a method that forecasts its stages from their results.
type Foreseeing interface {
	Method
	// Stand returns how far the finished stages and the current one (nil between stages) have come.
	Stand(under *job.Stage) plan.Stand
}

// OnDisk is a method that never holds all lists in memory: it writes the graph itself.
type OnDisk interface {
	Method
	// Release frees the memory that only stages need, before recall is measured.
	Release()
	// Write completes short lists and commits the lists of all output rows. It keeps the lists at the wanted
	// places.
	Write(rows int, wanted []uint32) (*Written, error)
}

// Written is the graph that a method wrote.
type Written struct {
	Completed  int        // lists that the stages left short
	Counts     job.Counts // of completing them
	Components int
	List       func(place uint32) ([]uint32, []float32) // at a wanted place
}
