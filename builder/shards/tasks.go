package shards

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/internal/stopped"
	"github.com/knng/knng/vectors"
)

// A Task is one piece of work of a build by shards. It reads outputs of tasks before it and
// the input, and makes one file.
type Task struct {
	Stage    string
	Division int // from 1; 0: the task belongs to none
	Part     int // number of the task in its stage, from 0
}

// kind is a kind of stage: how many tasks it has, and how one is done.
type kind struct {
	divided bool // it has tasks of every division
	parts   func(s *Run, division int) (int, error)
	do      func(s *Run, w *task) error
}

// by is how a duty does a task.
func by[T ~struct{ *Run }](do func(T, *task) error) func(*Run, *task) error {
	return func(s *Run, w *task) error { return do(T(struct{ *Run }{s}), w) }
}

// kinds are all stages, by name.
var kinds map[string]kind

func init() {
	one := func(*Run, int) (int, error) { return 1, nil }
	each := func(s *Run, _ int) (int, error) { return s.spec.shards(), nil }
	ranges := func(s *Run, _ int) (int, error) { return s.ranges() }
	leads := func(s *Run, division int) (int, error) {
		fixed, err := s.settled()
		if err != nil {
			return 0, err
		}
		leaves, err := s.leaves(division)
		return s.leadTasks(fixed.N, leaves), err
	}
	kinds = map[string]kind{
		"audit":     {parts: each, do: by(reading.audit)},
		"settle":    {parts: one, do: by(reading.settle)},
		"sample":    {parts: each, do: by(sampling.drawRows)},
		"fit":       {parts: one, do: by(sampling.fit)},
		"controls":  {parts: each, do: by(sampling.compareExactly)},
		"near":      {parts: each, do: by(sampling.near)},
		"sight":     {parts: one, do: by(sampling.sight)},
		"draw":      {divided: true, parts: each, do: by(sampling.drawRows)},
		"heads":     {divided: true, parts: one, do: by(dividing.heads)},
		"lead":      {divided: true, parts: leads, do: by(dividing.lead)},
		"assign":    {divided: true, parts: each, do: by(dividing.assign)},
		"cut":       {divided: true, parts: one, do: by(dividing.cut)},
		"spill":     {divided: true, parts: each, do: by(dividing.spill)},
		"solve":     {divided: true, parts: (*Run).solvers, do: by(solving.solve)},
		"fold":      {divided: true, parts: ranges, do: by(folding.fold)},
		"decide":    {divided: true, parts: one, do: by(folding.decide)},
		"resample":  {parts: each, do: by(sampling.drawRows)},
		"report":    {parts: each, do: by(sampling.compareExactly)},
		"complete":  {parts: each, do: by(sampling.compareExactly)},
		"adjacency": {parts: ranges, do: by(graphing.adjacency)},
		"seal":      {parts: one, do: by(graphing.seal)},
	}
}

// folderOf is where the files of a stage are.
func folderOf(stage string, division int) string {
	if division > 0 {
		return fmt.Sprintf("d%02d/%s", division, stage)
	}
	return stage
}

// pieceName is the name of the file that a task makes.
func pieceName(t Task, of int) string {
	return fmt.Sprintf("%s/%05d-of-%05d", folderOf(t.Stage, t.Division), t.Part, of)
}

// String is the task as ParseTask reads it.
func (t Task) String() string {
	if t.Division > 0 {
		return fmt.Sprintf("%s %d %d", t.Stage, t.Division, t.Part)
	}
	return fmt.Sprintf("%s %d", t.Stage, t.Part)
}

// ParseTask reads a stage, the number of the division where it has one, and the part.
func ParseTask(words []string) (t Task, err error) {
	wrong := fmt.Errorf("%w as %q, want a stage, the division where it belongs to one, and a part, such as \"audit 0\" or \"solve 1 0\"", ErrTask, strings.Join(words, " "))
	if len(words) == 0 {
		return t, wrong
	}
	stage, known := kinds[words[0]]
	if !known {
		return t, fmt.Errorf("%w: no stage %q", ErrTask, words[0])
	}
	numbers := []*int{&t.Part}
	if stage.divided {
		numbers = []*int{&t.Division, &t.Part}
	}
	if len(words) != 1+len(numbers) {
		return t, wrong
	}
	t.Stage = words[0]
	for i, to := range numbers {
		if *to, err = strconv.Atoi(words[1+i]); err != nil || *to < 0 {
			return t, wrong
		}
	}
	if stage.divided && (t.Division < 1 || t.Division > job.MaxDivisions) {
		return t, wrong
	}
	return t, nil
}

// task is a task under way.
type task struct {
	Task
	of  int
	ctx context.Context
	out *pieces.Writer
}

// The duties, each the owner of some stages.
type (
	reading  struct{ *Run } // audit, settle
	sampling struct{ *Run } // sample, fit, controls, near, sight, draw, resample, report, complete
	dividing struct{ *Run } // heads, lead, assign, cut, spill
	solving  struct{ *Run } // solve
	folding  struct{ *Run } // fold, decide
	graphing struct{ *Run } // adjacency, seal
)

// Do does a task, unless its file is there. Errors: ErrTask, ErrReach, ErrDamaged, vectors.ErrRows and the errors of package builder;
// fs.ErrNotExist where files that it reads are not made yet.
func (s *Run) Do(ctx context.Context, t Task) error {
	stage, known := kinds[t.Stage]
	if !known {
		return fmt.Errorf("%w: no stage %q", ErrTask, t.Stage)
	}
	of, err := stage.parts(s, t.Division)
	if err != nil {
		return fmt.Errorf("builder: task %v: %w", t, err)
	}
	if t.Part >= of {
		return fmt.Errorf("%w as %v: stage %s has %d parts", ErrTask, t, t.Stage, of)
	}
	if there, err := s.has(t, of); there || err != nil {
		return err
	}
	if err := s.enoughFor(t); err != nil {
		return err
	}
	s.keep(t)
	w := &task{Task: t, of: of, ctx: ctx}
	if w.out, err = pieces.Create(s.folder, s.name, pieceName(t, of)); err != nil {
		return limits.Space(err)
	}
	defer w.out.Abort()
	if err := vectors.Guard(func() error { return stage.do(s, w) }); err != nil {
		return fmt.Errorf("builder: task %v: %w", t, limits.Space(stopped.Error(ctx, err)))
	}
	return limits.Space(w.out.Commit())
}
