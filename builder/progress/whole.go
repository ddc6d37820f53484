package progress

import (
	"slices"
	"sync"
	"time"
)

// A Whole knows how far the phases of a build are together, in all its runs. A nil Whole
// knows nothing.
type Whole struct {
	mu     sync.Mutex
	left   func(Course) (seconds float64, known bool) // nil until there is a plan
	usage  func() (memory, disk int64)
	then   float64 // see Then
	course Course
	share  float64 // the largest told: it never falls
	latest Event
}

// A Course is the progress of a build: the times of its phases, those of the phase under way
// that went before it under its name included, how far each phase has come by name, and the
// phase itself.
type Course struct {
	Spent []PhaseSeconds
	Parts map[string]float64 // 0 to 1, of phases that count units
	Ends  map[string]int     // how often a phase of that name ended in this run: folds share a name
	Open  map[string]float64 // seconds so far of phases that began and have not ended: a fold comes within a division
	Now   Event
}

// NewWhole begins with the times of earlier runs; usage tells the memory and the disk taken.
func NewWhole(spent []PhaseSeconds, usage func() (memory, disk int64)) *Whole {
	return &Whole{usage: usage, course: Course{Spent: slices.Clone(spent), Parts: map[string]float64{}, Ends: map[string]int{}, Open: map[string]float64{}}}
}

// Expect says how the seconds left are estimated from now on.
func (w *Whole) Expect(left func(Course) (seconds float64, known bool)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = left
}

// Then counts work that follows the build into the whole: from now on its time is a share of the build's.
func (w *Whole) Then(share float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.then = share
}

// Latest is the last event that told of a phase, seen as of now.
func (w *Whole) Latest() Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.latest
}

// See adds to an event how far the whole is.
func (w *Whole) See(e *Event) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.usage != nil {
		e.Memory, e.Disk = w.usage()
	}
	w.course.Now = *e
	if e.Total > 0 {
		w.course.Parts[e.Phase] = min(1, float64(e.Done)/float64(e.Total))
	}
	w.course.Open[e.Phase] = e.Elapsed.Seconds()
	if e.End {
		delete(w.course.Open, e.Phase)
		w.course.Ends[e.Phase]++
		w.course.Spent = spend(w.course.Spent, e.Phase, e.Elapsed)
	}
	if w.left != nil {
		if left, known := w.left(w.course); known {
			took := w.course.seconds()
			left += w.then * (took + left)
			w.share = max(w.share, took/max(took+left, 1e-9))
			e.Share, e.Left = w.share, time.Duration(left*float64(time.Second))
		}
	}
	w.latest = *e
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
