package job

import (
	"encoding/json"
	"math"
	"time"

	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/store"
)

// tellEvery is the interval at which a build publishes its progress.
const tellEvery = time.Second

// before returns the last progress that an earlier run of this build published; zero in the first run.
func (j *Job) before() (told progress.Told) {
	if j.State.Runs == 0 {
		return progress.Told{}
	}
	text, _, err := store.Told(j.Draft.Dir())
	if err != nil || json.Unmarshal(text, &told) != nil {
		return progress.Told{}
	}
	return bounded(told)
}

// bounded limits the numbers of a report to valid ones, since the file may hold any.
func bounded(told progress.Told) progress.Told {
	told.Share = min(max(told.Share, 0), mostBefore)
	told.Left = min(max(told.Left, 0), longest)
	told.Kept = min(max(told.Kept, 0), told.Share)
	told.KeptLeft = min(max(told.KeptLeft, 0), longest)
	told.Seconds = min(max(told.Seconds, 0), longest)
	return told
}

// longest is the most seconds that a report may give, 31 years: it fits a time.Duration.
const longest = 1e9

// mostBefore is the largest share that a report of an unsealed build may give.
const mostBefore = 0.999

// Publish publishes the build's progress until stop is called. It starts at the share that earlier runs have
// kept.
func (j *Job) Publish() (stop func()) {
	j.whole = progress.NewWhole(j.State.Phases, j.meter.now)
	before := j.before()
	j.kept.Store(&kept{before.Kept, before.KeptLeft})
	j.whole.GoOn(before.Kept, before.KeptLeft)
	for _, p := range []*plan.Plan{j.State.Expected, j.State.Revised} {
		if p != nil {
			j.Expects(p.Alone())
		}
	}
	if j.stale() {
		j.tellHow(time.Now())
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		j.tellUntil(done)
	}()
	return func() {
		close(done)
		<-ended
		if j.whole.Latest().Share > 0 { // for a resumed run; a sealed build does not write it
			j.tellHow(time.Now())
		}
	}
}

// kept is the share of the build that is on disk, and the seconds left from there.
type kept struct{ share, left float64 }

// Keep notes that all work so far is on disk, unless the lists of a stage are not yet written. A resumed run
// does not repeat it.
func (j *Job) Keep() {
	if j.whole == nil || j.Unsaved > 0 { // nil: this run does not build
		return
	}
	if e := j.whole.Latest(); e.Share > 0 {
		j.kept.Store(&kept{e.Share, e.Left.Seconds()})
	}
}

// stale reports whether an earlier run left a report, which could pass for one of this run.
func (j *Job) stale() bool {
	if j.meter == nil { // this run does not build
		return false
	}
	_, _, err := store.Told(j.Draft.Dir())
	return err == nil
}

func (j *Job) tellUntil(done chan struct{}) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-tick.C:
			j.tellHow(now)
		}
	}
}

// tellHow writes the latest event, as of now. It drops errors: if the disk is full, the build's own writes
// report it.
func (j *Job) tellHow(now time.Time) {
	e := j.whole.Latest()
	e.Memory, e.Disk = j.meter.now() // known before the first event too
	had := j.kept.Load()
	_ = j.Draft.Tell(progress.Told{
		Time: now, Phase: e.Phase, Done: e.Done, Total: e.Total, Unit: e.Unit, Share: e.Share, Left: e.Left.Seconds(),
		Seconds: j.meter.total().Seconds, Memory: e.Memory, Disk: e.Disk,
		Recall: math.Float64frombits(j.found.Load()), Asked: j.Goal.Recall,
		Kept: had.share, KeptLeft: had.left,
	})
}

// Expects updates the time left from an outlook.
func (j *Job) Expects(o plan.Outlook) {
	for _, way := range o {
		if j.Then != nil && way.Plan.Seconds > 0 {
			way.Plan.After = j.Then(way.Plan)
		}
	}
	j.whole.Expect(o.Left)
}
