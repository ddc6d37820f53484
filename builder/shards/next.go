package shards

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/knng/knng/builder/internal/job"
)

// A Wave holds the tasks that can be done now: those of one stage, or of some, that need nothing of each
// other.
type Wave struct {
	Tasks []Task
	Done  int    // tasks of the same stages whose files are there
	Doing string // for people
	Ended bool   // the graph is there: nothing is left to be done
}

// Next returns the tasks to do next, from the files that are there: those of the first stages
// that lack some. It removes files that no task will read any more; so may another driver of the same
// run, and Next looks again where a file that was there is gone, or where nothing was missing, as the
// other has ended the run meanwhile.
func (s *Run) Next() (w *Wave, err error) {
	for range 5 {
		if w, err = s.next(); w != nil || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return w, err
		}
	}
	if err == nil {
		err = fmt.Errorf("builder: the run %s lacks no file and is not finished: others change it", s.name)
	}
	return nil, err
}

func (s *Run) next() (*Wave, error) {
	if there, err := s.has(Task{Stage: "seal"}, 1); err != nil || there {
		return &Wave{Ended: true}, err
	}
	w, err := schedule{s}.before()
	if w != nil || err != nil {
		return w, err
	}
	last, w, err := schedule{s}.divisions()
	if w != nil || err != nil {
		return w, err
	}
	return schedule{s}.after(last)
}

// schedule finds the tasks to do, from the files that are there.
type schedule struct{ *Run }

// wave lists the missing tasks of some stages; nil where none is missing.
func (s schedule) wave(doing string, division int, stages ...string) (*Wave, error) {
	w := &Wave{Doing: doing}
	for _, stage := range stages {
		of, err := kinds[stage].parts(s.Run, division)
		if err != nil {
			return nil, err
		}
		names, err := s.folder.List(folderOf(stage, division))
		if err != nil {
			return nil, err
		}
		there := map[string]bool{}
		for _, name := range names {
			there[name] = true
		}
		for part := range of {
			if there[fmt.Sprintf("%05d-of-%05d", part, of)] {
				w.Done++
				continue
			}
			w.Tasks = append(w.Tasks, Task{stage, division, part})
		}
	}
	if len(w.Tasks) == 0 {
		return nil, nil
	}
	return w, nil
}

// firstOf is the first wave that lacks something.
func firstOf(waves ...func() (*Wave, error)) (*Wave, error) {
	for _, wave := range waves {
		if w, err := wave(); w != nil || err != nil {
			return w, err
		}
	}
	return nil, nil
}

// before is the first wave before the divisions.
func (s schedule) before() (*Wave, error) {
	stages := func(doing string, names ...string) func() (*Wave, error) {
		return func() (*Wave, error) { return s.wave(doing, 0, names...) }
	}
	if w, err := firstOf(stages("reading the input", "audit"), stages("counting rows", "settle")); w != nil || err != nil {
		return w, err
	}
	ps, err := s.points()
	if err != nil || ps.K == 0 {
		return nil, err
	}
	fixed := []func() (*Wave, error){stages("drawing samples", "sample"), stages("fitting codes", "fit")}
	if s.steerers() > 0 {
		fixed = append(fixed, stages("comparing sampled rows with all", "controls"))
		if !ps.BytesAreKeys() {
			fixed = append(fixed, stages("testing codes", "near"), stages("testing codes", "sight"))
		}
	}
	if w, err := firstOf(fixed...); w != nil || err != nil || s.steerers() == 0 || ps.BytesAreKeys() {
		return w, err
	}
	return nil, s.seeing()
}

// divisions is the first wave of the divisions; where none is missing, last is the number of the
// last one.
func (s schedule) divisions() (last int, w *Wave, err error) {
	ps, err := s.points()
	if err != nil || ps.K == 0 {
		return 0, nil, err
	}
	number := 1
	for ; number < job.MaxDivisions; number++ {
		if there, err := s.has(Task{"decide", number + 1, 0}, 1); err != nil || !there {
			break
		}
	}
	for ; ; number++ {
		decided, err := s.has(Task{"decide", number, 0}, 1)
		if err != nil {
			return 0, nil, err
		}
		if w, err := s.division(number, decided); w != nil || err != nil {
			return 0, w, err
		}
		if err := s.tidy(number); err != nil {
			return 0, nil, err
		}
		d, err := s.decision(number)
		if err != nil || d.Stop != "" {
			return number, nil, err
		}
		if err := d.goesOn(); err != nil {
			return 0, nil, err
		}
	}
}

// division is the first wave of a division.
func (s schedule) division(number int, decided bool) (*Wave, error) {
	var waves []func() (*Wave, error)
	stages := [][]string{{"draw"}, {"lead"}, {"assign"}, {"cut"}, {"spill"}, {"solve"}, {"fold", "decide"}}
	if decided { // the files before it may be gone
		stages = stages[len(stages)-1:]
	}
	for _, names := range stages {
		waves = append(waves, func() (*Wave, error) {
			return s.wave(fmt.Sprintf("division %d: %s", number, doingOf[names[0]]), number, names...)
		})
	}
	return firstOf(waves...)
}

// doingOf describes the stages of a division.
var doingOf = map[string]string{"draw": "drawing leaders", "lead": "sorting leaders", "assign": "assigning rows", "cut": "cutting leaves",
	"spill": "writing rows by groups", "solve": "solving groups", "fold": "uniting lists"}

// tidy removes files of a finished division that nobody reads any more.
func (s schedule) tidy(number int) error {
	for _, stage := range []string{"draw", "lead", "assign", "cut", "spill", "solve"} {
		if err := s.folder.Remove(folderOf(stage, number)); err != nil {
			return err
		}
	}
	if number > 1 {
		return s.folder.Remove(folderOf("fold", number-1))
	}
	return nil
}

// after is the first wave after the last division.
func (s schedule) after(last int) (*Wave, error) {
	stages := func(doing string, names ...string) func() (*Wave, error) {
		return func() (*Wave, error) { return s.wave(doing, 0, names...) }
	}
	if last == 0 {
		return firstOf(stages("writing the graph", "adjacency"), stages("ending", "seal"))
	}
	return firstOf(stages("drawing samples", "resample"), stages("measuring recall", "report", "complete"),
		stages("writing the graph", "adjacency"), stages("ending", "seal"))
}

// seeing refuses rows that codes cannot tell apart.
func (s schedule) seeing() error {
	var r seen
	if err := s.note("sight", 0, &r); err != nil {
		return err
	}
	if r.Blind {
		return fmt.Errorf("builder: codes can tell %.4f of the neighbors at most, and recall %v is asked for: tasks of shards compare rows by codes; "+
			"ask for less, or build on one machine, which compares such rows by their keys", r.Ceiling, s.spec.Recall)
	}
	return nil
}
