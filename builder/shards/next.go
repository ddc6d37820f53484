package shards

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/knng/knng/builder/internal/points"
)

// A Wave holds the tasks that can be done now: those of one stage, or of some, that need nothing of each
// other.
type Wave struct {
	Tasks []Task
	Done  int    // tasks of the same stages whose files are there
	Doing string // for people
	Ended bool   // the graph is there: nothing is left to be done

	Course []Leg // of the whole run, as it is planned; nil where it has next to nothing to compare
	At     int   // the leg that this wave is

	stage    string // the first of its stages
	division int
}

// Next returns the tasks to do next: those of the first stages that lack files. It removes files that no
// task will read any more. Another driver of the same run may do so too. So Next looks again if a file has
// disappeared, or if nothing is missing because the other driver has ended the run.
func (s *Run) Next() (w *Wave, err error) {
	for range 5 {
		if w, err = s.next(); err == nil && w != nil {
			err = schedule{s}.plan(w)
		}
		if err == nil && w != nil || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return w, err
		}
	}
	if err == nil {
		err = fmt.Errorf("builder: the run %s lacks no file and is not finished: others change it", s.name)
	}
	return nil, err
}

// plan adds the course of the run to a wave.
func (s schedule) plan(w *Wave) (err error) {
	if w.Ended {
		return nil
	}
	if w.Course, err = s.course(); err != nil || w.Course == nil {
		return err
	}
	w.At = slices.IndexFunc(w.Course, func(l Leg) bool { return l.Stage == w.stage && l.Division == w.division })
	if w.At < 0 {
		return fmt.Errorf("builder: the course of the run %s has no stage %s of division %d", s.name, w.stage, w.division)
	}
	return nil
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

// The stages of a run in their order. Those of one list need nothing of each other.
var (
	readingStages   = [][]string{{"audit"}, {"settle"}}
	divisionStages  = [][]string{{"draw"}, {"heads"}, {"lead"}, {"assign"}, {"cut"}, {"spill"}, {"solve"}, {"fold", "decide"}}
	reportingStages = [][]string{{"resample"}, {"report", "complete"}}
	graphStages     = [][]string{{"adjacency"}, {"seal"}}
)

// samplingStages are those between reading and the divisions.
func (s schedule) samplingStages(ps *points.Points) [][]string {
	stages := [][]string{{"sample"}, {"fit"}}
	if s.spec.Recall > 0 {
		stages = append(stages, []string{"controls"})
		if !ps.BytesAreKeys() {
			stages = append(stages, []string{"near"}, []string{"sight"})
		}
	}
	return stages
}

// doingOf describes stages by the first of a wave.
var doingOf = map[string]string{"audit": "reading the input", "settle": "counting rows", "sample": "drawing samples", "fit": "fitting codes",
	"controls": "comparing sampled rows with all", "near": "testing codes", "sight": "testing codes",
	"draw": "drawing leaders", "heads": "ordering heads", "lead": "sorting leaders", "assign": "assigning rows", "cut": "cutting leaves",
	"spill": "writing rows by groups", "solve": "solving groups", "fold": "uniting lists",
	"resample": "drawing samples", "report": "measuring recall", "adjacency": "writing the graph", "seal": "ending"}

// first is the first wave of some stages, of a division or, 0, of none, that lacks something; nil where none does.
func (s schedule) first(division int, stages ...[]string) (*Wave, error) {
	for _, names := range stages {
		if w, err := s.wave(division, names); w != nil || err != nil {
			return w, err
		}
	}
	return nil, nil
}

// wave lists the missing tasks of some stages; nil where none is missing.
func (s schedule) wave(division int, stages []string) (*Wave, error) {
	w := &Wave{Doing: doingOf[stages[0]], stage: stages[0], division: division}
	if division > 0 {
		w.Doing = fmt.Sprintf("division %d: %s", division, w.Doing)
	}
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

// before is the first wave before the divisions.
func (s schedule) before() (*Wave, error) {
	if w, err := s.first(0, readingStages...); w != nil || err != nil {
		return w, err
	}
	ps, err := s.points()
	if err != nil || ps.K == 0 {
		return nil, err
	}
	if w, err := s.first(0, s.samplingStages(ps)...); w != nil || err != nil || s.steerers() == 0 || ps.BytesAreKeys() {
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
	done, _, err := s.decided()
	if err != nil {
		return 0, nil, err
	}
	for number := max(1, done); ; number++ { // files of a decided one may have to be removed yet
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
	stages := divisionStages
	if decided { // the files before it may be gone
		stages = stages[len(stages)-1:]
	}
	return s.first(number, stages...)
}

// tidy removes files of a finished division that nobody reads any more.
func (s schedule) tidy(number int) error {
	for _, names := range divisionStages[:len(divisionStages)-1] {
		if err := s.folder.Remove(folderOf(names[0], number)); err != nil {
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
	if last > 0 {
		if w, err := s.first(0, reportingStages...); w != nil || err != nil {
			return w, err
		}
	}
	return s.first(0, graphStages...)
}

// seeing refuses rows that codes cannot tell apart.
func (s schedule) seeing() error {
	var r seen
	if err := s.note("sight", 0, &r); err != nil {
		return err
	}
	if r.Blind {
		return fmt.Errorf("%w: codes can tell %.4f of the neighbors at most, and recall %v is asked for: tasks of shards compare rows by codes; "+
			"ask for less, or build on one machine, which compares such rows by their keys", ErrReach, r.Ceiling, s.spec.Recall)
	}
	return nil
}
