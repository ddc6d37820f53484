package progress

import (
	"math"
	"slices"
	"sync"
	"time"
)

// A Whole knows how far a build is, over all its phases and runs. A nil Whole knows nothing.
//
// The time left that it reports follows the estimate at once when something has become known: a phase
// began or ended, or Expect gave another estimate. In between it moves by a part of the difference,
// because estimates from a phase that has just begun fluctuate. The share that it reports approaches 1
// evenly over the time left: it never falls, and never stops while time is left.
type Whole struct {
	mu     sync.Mutex
	left   func(Course) (seconds float64, known bool) // nil until there is a plan
	usage  func() (memory, disk int64)
	course Course
	known  bool    // something has become known since the time left was reported
	left0  float64 // seconds left as reported last; 0: never reported
	took   float64 // seconds of the build then
	share  float64 // as reported last
	latest Event
	seen   time.Time // when latest came
}

// A Course is the progress of a build: the phase under way, and for each phase name how far it is and how
// long it took. A phase may run inside another, as a fold inside a division; its time is not counted
// twice. A phase that ended before it was done, and begins again, goes on from there.
type Course struct {
	Spent   []PhaseSeconds
	Parts   map[string]float64 // 0 to 1, of phases that count units
	Earlier map[string]float64 // of Parts, those that earlier runs did, whose time is not known
	Ends    map[string]int     // how often a phase of that name ended in this run: folds share a name
	Open    map[string]float64 // seconds so far of phases that began and have not ended
	Now     Event

	order  []string           // the open phases as they began
	from   map[string]float64 // parts of phases that had ended before they were done, and go on
	inside map[string]float64 // seconds of phases that began and ended within an open one
}

// NewWhole returns a Whole that begins with the times of earlier runs. usage returns the memory and disk
// in use, in bytes.
func NewWhole(spent []PhaseSeconds, usage func() (memory, disk int64)) *Whole {
	return &Whole{usage: usage, course: Course{Spent: slices.Clone(spent), Parts: map[string]float64{}, Earlier: map[string]float64{}, Ends: map[string]int{},
		Open: map[string]float64{}, from: map[string]float64{}, inside: map[string]float64{}}}
}

// GoOn continues from an earlier run: with the share and the seconds left that it reported last, 0 if none.
func (w *Whole) GoOn(share, left float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.share, w.left0, w.took = share, left, w.course.seconds()
	w.latest.Share, w.latest.Left = share, time.Duration(left*float64(time.Second))
}

// Expect sets the function that estimates the seconds left from now on.
func (w *Whole) Expect(left func(Course) (seconds float64, known bool)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left, w.known = left, true
}

// Latest returns the last event of a phase, with share and time left as of now.
func (w *Whole) Latest() Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.latest
	if e.Phase != "" && !e.End && !w.seen.IsZero() {
		e.Elapsed += time.Since(w.seen)
		e.Message = ""
		w.see(&e)
	}
	return w.latest
}

// See takes an event into account, and fills in its fields about the whole build.
func (w *Whole) See(e *Event) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.see(e)
}

func (w *Whole) see(e *Event) {
	if w.usage != nil {
		e.Memory, e.Disk = w.usage()
	}
	if w.course.see(e) {
		w.known = true
	}
	if w.left != nil {
		if left, known := w.left(w.course); known {
			w.tell(left)
			e.Share, e.Left = w.share, time.Duration(w.left0*float64(time.Second))
		}
	}
	w.latest, w.seen = *e, time.Now()
}

// inertia is the share of the whole build's time in which the reported time left moves most of the way to a
// changed estimate.
const inertia = 0.02

// tell moves the reported time left towards an estimate.
func (w *Whole) tell(left float64) {
	took := w.course.seconds()
	past := math.Max(0, took-w.took)
	if before := w.left0 - past; !w.known && before > 0 && left > 0 {
		follow := 1 - math.Exp(-past/(inertia*(took+left)))
		left = before * math.Pow(left/before, follow)
	}
	switch {
	case w.share == 0:
		w.share = took / math.Max(took+left, 1e-9)
	case past > 0:
		w.share += (1 - w.share) * past / (past + left)
	}
	w.left0, w.took, w.known = left, took, false
}

// see takes an event in, and reports whether a phase began or ended.
func (c *Course) see(e *Event) (changed bool) {
	c.Now = *e
	if _, open := c.Open[e.Phase]; !open {
		c.order = append(c.order, e.Phase)
		if part := c.Parts[e.Phase]; part < 1 {
			c.from[e.Phase] = part
		} else {
			delete(c.from, e.Phase)
		}
		changed = true
	}
	if e.Total > 0 {
		c.Parts[e.Phase] = min(1, max(c.from[e.Phase], float64(e.Done)/float64(e.Total)))
		c.Earlier[e.Phase] = min(1, float64(e.Earlier)/float64(e.Total))
	}
	own := max(0, e.Elapsed.Seconds()-c.inside[e.Phase])
	if !e.End {
		c.Open[e.Phase] = own
		return changed
	}
	at := slices.Index(c.order, e.Phase)
	for _, around := range c.order[:at] {
		c.inside[around] += e.Elapsed.Seconds()
	}
	c.order = slices.Delete(c.order, at, at+1)
	delete(c.Open, e.Phase)
	delete(c.inside, e.Phase)
	c.Ends[e.Phase]++
	c.Spent = spend(c.Spent, e.Phase, time.Duration(own*float64(time.Second)))
	return true
}

// seconds is how long all phases took so far.
func (c *Course) seconds() (sum float64) {
	for _, p := range c.Spent {
		sum += p.Seconds
	}
	for _, seconds := range c.Open {
		sum += seconds
	}
	return sum
}

// spend adds time to a phase by name.
func spend(spent []PhaseSeconds, name string, d time.Duration) []PhaseSeconds {
	for i := range spent {
		if spent[i].Name == name {
			spent[i].Seconds += d.Seconds()
			return spent
		}
	}
	return append(spent, PhaseSeconds{name, d.Seconds()})
}
