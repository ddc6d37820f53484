package builder

import (
	"time"

	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/progress"
)

// Told is how far a running build told that it is, for those who ask without its lock.
type Told struct {
	Time    time.Time `json:"time"`
	Phase   string    `json:"phase"`
	Done    int64     `json:"done"`
	Total   int64     `json:"total"`
	Unit    string    `json:"unit"`
	Share   float64   `json:"share"` // of the whole build; 0: not known yet
	Left    float64   `json:"left_seconds"`
	Seconds float64   `json:"seconds"` // of all runs
	Memory  int64     `json:"memory_bytes"`
	Disk    int64     `json:"disk_bytes"`
}

// tellEvery is how often a build tells how far it is.
const tellEvery = time.Second

// tells has the build tell how far it is, from now until the returned function is called.
func (j *job) tells() (stop func()) {
	j.whole = progress.NewWhole(j.state.Phases, j.meter.now)
	j.expects(j.state.Expected)
	j.expects(j.state.Revised)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		j.tellUntil(done)
	}()
	return func() {
		close(done)
		<-ended
		j.draft.Untell()
	}
}

func (j *job) tellUntil(done chan struct{}) {
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

// tellHow writes what the last event said. Where it cannot be written, a full disk for one,
// those who need the disk say so.
func (j *job) tellHow(now time.Time) {
	e := j.whole.Latest()
	_ = j.draft.Tell(Told{
		Time: now, Phase: e.Phase, Done: e.Done, Total: e.Total, Unit: e.Unit, Share: e.Share, Left: e.Left.Seconds(),
		Seconds: j.meter.total().Seconds, Memory: e.Memory, Disk: e.Disk,
	})
}

// expects has the time left told by a plan.
func (j *job) expects(p *plan.Plan) {
	if p != nil {
		j.whole.Expect(p.Left)
	}
}
