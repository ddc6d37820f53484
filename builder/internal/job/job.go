package job

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/store"
)

// Job is one build: the recorded state, the store's draft, and the build's use of memory, disk and time.
type Job struct {
	Ctx     context.Context
	Threads int
	OnEvent func(progress.Event)               // nil where nobody listens
	Then    func(*plan.Plan) (seconds float64) // of the caller's work after the build, as a plan of that goes; nil: there is none
	Goal    Goal

	Draft   *store.Draft
	State   State
	Unsaved int // latest stages whose lists are in memory alone

	meter    *meter
	whole    *progress.Whole       // how far all phases are together
	kept     atomic.Pointer[kept]  // how far they were when the work until then was on the disk; nil: none is
	found    atomic.Uint64         // bits of the steering rows' recall as the latest phase began, a float64
	Ledger   offheap.Ledger        // of memory that grows with the rows
	Scratch  string                // folder
	Received atomic.Int64          // bytes of rows from streams that are still on disk
	spill    atomic.Pointer[sized] // files without a name; nil: there are none
}

// Records of the store.
const (
	StateRecord = "state"
	// AheadRecord is the state that belongs to a fold, recorded before the fold. It takes effect with the
	// fold.
	AheadRecord = "state-ahead"
)

// sized is the size of something on disk that is in no folder.
type sized interface{ Bytes() int64 }

// Holds sets the files that count as on disk; nil: there are none.
func (j *Job) Holds(files sized) {
	if files == nil {
		j.spill.Store(nil)
		return
	}
	j.spill.Store(&files)
	j.meter.disk(j.onDisk())
}

// Watch starts to measure memory, disk and time, until stop. It continues from the published time of an
// earlier run, since a killed run has not recorded all of it.
func (j *Job) Watch() (stop func()) {
	j.State.Usage.Seconds = max(j.State.Usage.Seconds, j.before().Seconds)
	j.meter = startMeter(j.State.Usage, j.onDisk)
	return j.meter.stop
}

// Written notes the bytes on disk before some are removed.
func (j *Job) Written() { j.meter.disk(j.onDisk()) }

// StageNumber returns the store's number of the stage in progress.
func (j *Job) StageNumber() uint32 { return uint32(len(j.State.Stages) + 1) }

// LoadState loads the state of earlier runs, if one was recorded.
func (j *Job) LoadState() (resumed bool, err error) {
	resumed, err = j.Draft.Load(StateRecord, &j.State)
	if err == nil && j.Draft.Resumed() {
		j.State.Runs = max(j.State.Runs, 1)
	}
	return resumed, err
}

// CountRun counts this run. It records the count if the run resumes a build, since it may end before the next
// stage does.
func (j *Job) CountRun() error {
	j.State.Runs++
	if !j.Draft.Resumed() {
		return nil
	}
	return j.Save()
}

// Save records the state.
func (j *Job) Save() error {
	j.meter.disk(j.onDisk())
	j.State.Usage = j.meter.total()
	if err := j.Draft.Record(StateRecord, j.savedState()); err != nil {
		return err
	}
	j.Keep()
	return nil
}

// savedState returns the state without the stages whose lists are not on disk.
func (j *Job) savedState() *State {
	if j.Unsaved == 0 {
		return &j.State
	}
	s := j.State
	kept := len(s.Stages) - j.Unsaved
	for _, st := range slices.Backward(s.Stages[kept:]) {
		if st.steers() {
			s.Steer = st.Before
		}
	}
	s.Stages, s.Stop = s.Stages[:kept], ""
	return &s
}

// reporter reports to the options' observer, and keeps times in the state.
func (j *Job) reporter() progress.Reporter {
	return progress.Reporter{Tell: j.OnEvent, Spent: &j.State.Phases, Whole: j.whole}
}

func (j *Job) Begin(name, unit string, total int64) *progress.Phase {
	j.found.Store(math.Float64bits(j.State.Last().Recall))
	return j.reporter().Begin(name, unit, total)
}

// Say reports a line that belongs to no phase.
func (j *Job) Say(format string, args ...any) { j.reporter().Say(format, args...) }
