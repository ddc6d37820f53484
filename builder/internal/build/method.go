package build

import (
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors"
)

// Method is one way to build a graph, under way. All that is the same for every method (reading
// the input, controls, completing short lists, measuring, sealing) is the builder's.
type Method interface {
	// Forecast adds this method's kind and counts to the shape of a plan.
	Forecast(s *plan.Shape)
	// Expected is the number of divisions, or of leaves that a row is in, and of rounds, of a
	// build without limits.
	Expected(aim *plan.Aim) (divisions int, rounds float64)
	// Settle records in the state the decisions that come before the first stage.
	Settle()
	// Arrange returns the locality order of the given rows: order[place] is the number of a row.
	// It leaves the codes that it made with the points.
	Arrange(given *vectors.Rows, progress func(rows int)) ([]uint32, error)
	// Resume loads the results of the committed stages.
	Resume() error
	// Prepare comes before the stages, once the steering sample has its exact lists.
	Prepare() error
	// Next decides the stage after the finished ones: its kind, or why the build stops. It reads
	// counts and the steering sample only, never a clock, so every machine decides alike.
	Next() (kind, stop string)
	// Writes is the least that a stage will write to the store and to the scratch folder.
	Writes(kind string) (stored, scratch int64, err error)
	// Stage does the next stage, of this kind: one that Next told, or job.JoinStage, before which Next said that
	// recall suffices. It calls Build.JoinSteering for the latter, where the running lists are Build.Lists.
	Stage(kind string) error
	// Recalls is the recall of the lists so far at each of the places of truth.
	Recalls(truth *recall.Lists) ([]float64, error)
	// Finish makes the running lists (Build.Lists) of the results of the stages.
	Finish() error
	// Free gives back memory.
	Free()
}

// Traits are the properties of a method that options and passes ask for, also before it is under
// way.
type Traits struct {
	Codes     points.Use
	MostRows  int64  // that it takes; 0: as many as any
	Complete  bool   // compares all pairs: nothing is left to steer or to measure
	Overlaps  bool   // its divisions have a row in several leaves
	Rounds    bool   // has rounds of propagation
	Leaves    bool   // takes a leaf size
	PairCache bool   // keeps pairs that it has computed
	Labels    bool   // keeps the leaf numbers of every division in memory
	InOrder   bool   // rows stay in the order of the input, and nothing is in memory that grows with them but through the ledger
	ByShare   bool   // as many rows steer as cost a share of its comparisons
	InParts   string // the method that takes less memory for the same; "": none does
}

// Foreseeing is a method that forecasts its stages from their findings.
type Foreseeing interface {
	Method
	// Stand is how far the finished stages have come, and the one under way (nil between stages).
	Stand(under *job.Stage) plan.Stand
}

// OnDisk is a method with lists that never stand in memory together: it writes the graph itself.
type OnDisk interface {
	Method
	// Release gives back the memory that only stages need, before recall is measured.
	Release()
	// Write completes short lists and commits the lists of all rows of the output. It keeps the
	// lists at the wanted places.
	Write(rows int, wanted []uint32) (*Written, error)
}

// Written is the graph that a method wrote.
type Written struct {
	Completed  int        // lists that the stages left short
	Counts     job.Counts // of completing them
	Components int
	List       func(place uint32) ([]uint32, []float32) // at a wanted place
}
