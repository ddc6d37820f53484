package builder

import (
	"context"
	"sync/atomic"

	"github.com/knng/knng/builder/pages"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/store"
)

// job is one build under way: the state as recorded, the store's draft, and what the
// build takes of memory, disk and time.
type job struct {
	ctx     context.Context
	threads int
	tell    func(progress.Event) // nil where nobody listens
	goal    goal

	draft   *store.Draft
	state   state
	unsaved int // latest stages whose lists are in memory alone

	meter    *meter
	whole    *progress.Whole       // how far all phases are together
	ledger   pages.Ledger          // of what grows with the rows
	scratch  string                // folder
	received atomic.Int64          // bytes of rows from streams that are still on disk
	spill    atomic.Pointer[sized] // files without a name; nil: there are none
}

// sized is something on disk that no folder shows.
type sized interface{ Bytes() int64 }

// holds counts files as on disk; nil: there are none any more.
func (j *job) holds(files sized) {
	if files == nil {
		j.spill.Store(nil)
		return
	}
	j.spill.Store(&files)
	j.meter.disk(j.onDisk())
}

// watch starts to measure what the build takes, and returns what ends it.
func (j *job) watch() (stop func()) {
	j.meter = startMeter(j.state.Usage, j.onDisk)
	return j.meter.stop
}

// written notes what is on disk before some of it goes.
func (j *job) written() { j.meter.disk(j.onDisk()) }

// stageNumber is how the store knows the stage in progress.
func (j *job) stageNumber() uint32 { return uint32(len(j.state.Stages) + 1) }

// save records the state.
func (j *job) save() error {
	j.meter.disk(j.onDisk())
	j.state.Usage = j.meter.total()
	return j.draft.Record("state", j.savedState())
}

// savedState is the state without the stages whose lists are not on disk.
func (j *job) savedState() *state {
	if j.unsaved == 0 {
		return &j.state
	}
	s := j.state
	s.Stages, s.Stop = s.Stages[:len(s.Stages)-j.unsaved], ""
	return &s
}

// reporter reports to whom the options name and keeps times in the state.
func (j *job) reporter() progress.Reporter {
	return progress.Reporter{Tell: j.tell, Spent: &j.state.Phases, Whole: j.whole}
}

func (j *job) begin(name, unit string, total int64) *progress.Phase {
	return j.reporter().Begin(name, unit, total)
}

// say reports a line that belongs to no phase.
func (j *job) say(format string, args ...any) { j.reporter().Say(format, args...) }
