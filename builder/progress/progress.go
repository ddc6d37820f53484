// Package progress reports how far the phases of a build are, estimates the time left, and adds up
// the time that phases take.
package progress

import (
	"fmt"
	"sync"
	"time"
)

// Event is a typed progress report.
type Event struct {
	Phase   string        // such as "audit", "order", "division 3: carve", "division 3", "propagation 1", "adjacency", "recall", "seal"; others may come
	Done    int64         // units of this phase done
	Earlier int64         // of Done, those that earlier runs did: Elapsed does not count them
	Total   int64         // units of this phase; 0 if unknown
	Unit    string        // of the count: "rows", "leaves", "blocks", "pairs"
	Elapsed time.Duration // since the phase began
	Message string        // a line worth keeping, such as "division 3: effective rate 0.113"; often empty
	End     bool          // the phase is over

	// Of the whole build, all its runs and phases together; 0 if unknown.
	Share  float64       // done, from 0 to 1; it never falls
	Left   time.Duration // estimate of the time left; valid if Share is above 0
	Memory int64         // bytes of anonymous memory of the process
	Disk   int64         // bytes that the build takes on disk, beyond its source
}

// PhaseSeconds is the time of one phase over all runs of a build.
type PhaseSeconds struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// Told is the progress that a running build publishes for readers without its lock.
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
	Recall  float64   `json:"recall,omitempty"` // found so far, on the rows that steer; 0: not known yet
	Asked   float64   `json:"asked,omitempty"`  // the recall to reach; 0: none

	Kept     float64 `json:"kept_share,omitempty"`        // of the whole build, the share that is on disk: an interrupted run goes on from there
	KeptLeft float64 `json:"kept_left_seconds,omitempty"` // estimate of the time left from there
}

// Reporter reports the phases of one run of a build, one after the other.
type Reporter struct {
	Tell  func(Event)     // receives the events; nil: no events
	Spent *[]PhaseSeconds // times by name, to which a phase adds its time when it ends; nil: not kept
	Whole *Whole          // fills in Share and Left of events; nil: they stay 0
}

// Phase is one phase under way.
type Phase struct {
	to    Reporter
	name  string
	unit  string
	total int64
	began time.Time

	mu      sync.Mutex
	done    int64
	earlier int64
	told    time.Time
}

// eventEvery is the least time between events of one phase: shorter than a person notices, and long
// compared with the cost of an event.
const eventEvery = 50 * time.Millisecond

// Begin reports that a phase begins, with a total of units, 0 if unknown.
func (r Reporter) Begin(name, unit string, total int64) *Phase {
	p := &Phase{to: r, name: name, unit: unit, total: total, began: time.Now()}
	p.tell(Event{})
	return p
}

// Say reports a line that belongs to no phase.
func (r Reporter) Say(format string, args ...any) {
	if r.Tell != nil {
		r.Tell(Event{Message: fmt.Sprintf(format, args...)})
	}
}

// Add counts n more units done. It may be called from several goroutines.
func (p *Phase) Add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += int64(n)
	if now := time.Now(); now.Sub(p.told) >= eventEvery {
		p.told = now
		p.tell(Event{})
	}
}

// Earlier counts n units that an earlier run did.
func (p *Phase) Earlier(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += int64(n)
	p.earlier += int64(n)
}

// Expect changes the total.
func (p *Phase) Expect(total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total = total
}

// End closes the phase with a line worth keeping ("" for none).
func (p *Phase) End(format string, args ...any) {
	p.to.spend(p.name, time.Since(p.began))
	p.mu.Lock()
	defer p.mu.Unlock()
	message := ""
	if format != "" {
		message = fmt.Sprintf(format, args...)
	}
	p.tell(Event{Message: message, End: true})
}

func (p *Phase) tell(e Event) {
	e.Phase, e.Unit, e.Done, e.Earlier, e.Total, e.Elapsed = p.name, p.unit, p.done, p.earlier, p.total, time.Since(p.began)
	p.to.Whole.See(&e)
	if p.to.Tell != nil {
		p.to.Tell(e)
	}
}

// spend adds time to a phase by name.
func (r Reporter) spend(name string, d time.Duration) {
	if r.Spent != nil {
		*r.Spent = spend(*r.Spent, name, d)
	}
}
