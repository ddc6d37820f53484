package build

import (
	"fmt"
	"math"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/tiers"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// Build is a build as its method sees it: a job over points, the lists so far, and the options that more than
// one method reads.
type Build struct {
	job.Job
	points.Points
	Set      Settings
	Method   Method         // the method; nil: it is not chosen yet
	Traits   Traits         // of the method
	Source   *vectors.Input // without dropped rows
	Good     []uint32       // input rows that get a list, ascending, without copies
	Lists    *knn.Lists     // so far; nil if a method has lists of its own
	Steer    *recall.Lists  // exact lists of the steering rows; nil: there are none
	Outliers []uint32       // places whose rows are compared with all others at the end
	Skip     bool           // leaves skip pairs that shared a leaf before

	// Open returns a method by its name, without starting it, and its properties.
	Open func(name string) (Method, Traits)

	// Remember decides whether computed pairs are skipped, or looked up.
	Remember func() error

	// Foresee forecasts the time left from the finished stages and the current one (nil between stages).
	Foresee func(under *job.Stage)

	// Widen sets the number of steering rows, and computes their exact lists.
	Widen func(rows int) error

	// Join adds the reporting rows of the latest doubt to the steering rows.
	Join func() error
}

// Settings are the options that more than one method reads.
type Settings struct {
	K, LeafSize int
	Spare       int // the last entries of a list, which recall ignores
	Seed        uint64
	Recall      float64 // target; 0: none
	Reference   bool    // rows are not copied: they stay in the order of the input
	AllAxes     bool    // compare along all dimensions, by whole bytes
	Sample      int     // rows that give a hyperplane its direction
	Random      bool    // directions are random
}

// EndStage records a finished stage, measured on the steering rows. It folds the lists once their blocks have
// grown to the size of the lists.
func (b *Build) EndStage(st job.Stage) error {
	if b.Steer != nil {
		var margin float64
		if st.Recall, margin = MeanOf(PerRow(b.Steer, b.Lists.List)); b.State.Tiers > 0 {
			st.Margin = margin
		}
	}
	b.State.Stages = append(b.State.Stages, st)
	if err := b.Save(); err != nil {
		return err
	}
	blocks, err := b.Draft.BlockBytes()
	if err != nil || blocks < int64(b.N())*int64(b.K)*8 {
		return err
	}
	return b.Fold(uint32(len(b.State.Stages)))
}

func (b *Build) Fold(stage uint32) error {
	if err := b.RoomForFold(b.N(), b.K); err != nil {
		return err
	}
	return b.FoldLists(stage, b.N(), func(from, to int, l *store.Lists) {
		for place := uint32(from); place < uint32(to); place++ {
			ids, keys := b.Lists.List(place)
			l.Append(place, ids, keys)
		}
	})
}

// SteerNote returns a note of the recall on the steering rows, if there are any.
func (b *Build) SteerNote() string {
	if b.Steer == nil {
		return ""
	}
	return fmt.Sprintf(", recall %.3f on %d steering rows", b.State.Last().Recall, b.State.Steer)
}

// Recalls returns the recall of the present lists at each place of truth.
func (b *Build) Recalls(truth *recall.Lists) ([]float64, error) {
	return PerRow(truth, b.Lists.List), nil
}

// JoinSteering does a job.JoinStage for a method that keeps its present lists in Lists.
func (b *Build) JoinSteering() error {
	st, err := b.Joining()
	if err != nil {
		return err
	}
	if err := b.EndStage(st); err != nil {
		return err
	}
	b.SayJoined()
	return nil
}

// Joining adds the rows of the latest doubt to the steering rows, and returns the stage, without its recall.
func (b *Build) Joining() (job.Stage, error) {
	st := job.Stage{Kind: job.JoinStage, Before: b.State.Steer, Parts: b.State.Last().Parts}
	err := b.Join()
	st.Number = b.State.Steer
	return st, err
}

// SayJoined reports that stage.
func (b *Build) SayJoined() {
	b.Say("the rows that were to report recall are below the target: they steer too, recall %.3f on %d rows", b.State.Last().Recall, b.State.Steer)
}

// PerRow returns the recall of each control. Their exact lists never enter the graph.
func PerRow(truth *recall.Lists, listOf func(place uint32) ([]uint32, []float32)) []float64 {
	per := make([]float64, len(truth.Places))
	for i, place := range truth.Places {
		ids, keys := listOf(place)
		per[i] = truth.Recall(i, ids, keys)
	}
	return per
}

// MeanOf returns the mean of some recalls, and its standard error.
func MeanOf(per []float64) (mean, standardError float64) {
	n := float64(len(per))
	for _, x := range per {
		mean += x
	}
	mean /= n
	var squares float64
	for _, x := range per {
		squares += float64((x - mean) * (x - mean))
	}
	return mean, math.Sqrt(squares / n / max(n-1, 1))
}

// NeighborsOf returns the neighbors in lists.
func NeighborsOf(l *recall.Lists) [][]uint32 {
	neighbors := make([][]uint32, len(l.Places))
	for i := range neighbors {
		neighbors[i], _ = l.List(i)
	}
	return neighbors
}

// TruthOf returns the steering rows, with their recall, in the form that tiers read.
func TruthOf(l *recall.Lists, mean float64) *tiers.Truth {
	return &tiers.Truth{Places: l.Places, Recall: mean, Near: func(i int) []uint32 {
		near, _ := l.List(i)
		return near
	}}
}
