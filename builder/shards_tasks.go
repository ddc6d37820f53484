package builder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/vectors"
)

// A Task is one piece of work of a build by shards. It reads outputs of tasks before it and
// the input, and makes one file.
type Task struct {
	Stage    string
	Division int // from 1; 0: the task belongs to none
	Part     int
}

// shardStage is a stage of a build by shards: how many tasks it has, and how one is done.
type shardStage struct {
	divided bool // it has tasks of every division
	parts   func(s *Shards, division int) (int, error)
	do      func(s *Shards, w *shardTask) error
}

// shardStages are all stages, by name.
var shardStages map[string]shardStage

func init() {
	one := func(*Shards, int) (int, error) { return 1, nil }
	each := func(s *Shards, _ int) (int, error) { return s.shards(), nil }
	ranges := func(s *Shards, _ int) (int, error) { return s.ranges() }
	shardStages = map[string]shardStage{
		"audit":     {parts: each, do: (*Shards).audit},
		"settle":    {parts: one, do: (*Shards).settle},
		"sample":    {parts: each, do: (*Shards).drawRows},
		"fit":       {parts: one, do: (*Shards).fit},
		"controls":  {parts: each, do: (*Shards).compareExactly},
		"near":      {parts: each, do: (*Shards).near},
		"sight":     {parts: one, do: (*Shards).sight},
		"draw":      {divided: true, parts: each, do: (*Shards).drawRows},
		"lead":      {divided: true, parts: one, do: (*Shards).lead},
		"assign":    {divided: true, parts: each, do: (*Shards).assign},
		"cut":       {divided: true, parts: one, do: (*Shards).cut},
		"spill":     {divided: true, parts: each, do: (*Shards).spill},
		"solve":     {divided: true, parts: (*Shards).solvers, do: (*Shards).solve},
		"fold":      {divided: true, parts: ranges, do: (*Shards).fold},
		"decide":    {divided: true, parts: one, do: (*Shards).decide},
		"resample":  {parts: each, do: (*Shards).drawRows},
		"report":    {parts: each, do: (*Shards).compareExactly},
		"complete":  {parts: each, do: (*Shards).compareExactly},
		"adjacency": {parts: ranges, do: (*Shards).adjacency},
		"seal":      {parts: one, do: (*Shards).seal},
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
	wrong := fmt.Errorf("builder: task %q, want a stage, the division where it belongs to one, and a part, such as \"audit 0\" or \"solve 1 0\"", strings.Join(words, " "))
	if len(words) == 0 {
		return t, wrong
	}
	stage, known := shardStages[words[0]]
	if !known {
		return t, fmt.Errorf("builder: no stage %q", words[0])
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
	if stage.divided && (t.Division < 1 || t.Division > MaxDivisions) {
		return t, wrong
	}
	return t, nil
}

// shardTask is a task under way.
type shardTask struct {
	Task
	of  int
	ctx context.Context
	out *pieces.Writer
}

// Do does a task, unless its file is there.
func (s *Shards) Do(ctx context.Context, t Task) error {
	stage, known := shardStages[t.Stage]
	if !known {
		return fmt.Errorf("builder: no stage %q", t.Stage)
	}
	of, err := stage.parts(s, t.Division)
	if err != nil {
		return fmt.Errorf("builder: task %v: %w", t, err)
	}
	if t.Part >= of {
		return fmt.Errorf("builder: task %v: stage %s has %d parts", t, t.Stage, of)
	}
	if there, err := s.has(t, of); there || err != nil {
		return err
	}
	if err := s.enoughFor(t); err != nil {
		return err
	}
	s.keep(t)
	w := &shardTask{Task: t, of: of, ctx: ctx}
	if w.out, err = pieces.Create(s.folder, s.run, pieceName(t, of)); err != nil {
		return limits.Space(err)
	}
	defer w.out.Abort()
	if err := vectors.Guard(func() error { return stage.do(s, w) }); err != nil {
		return fmt.Errorf("builder: task %v: %w", t, limits.Space(job.Stopped(ctx, err)))
	}
	return limits.Space(w.out.Commit())
}

// has reports whether the file of a task is there.
func (s *Shards) has(t Task, of int) (bool, error) {
	names, err := s.folder.List(folderOf(t.Stage, t.Division))
	return slices.Contains(names, fmt.Sprintf("%05d-of-%05d", t.Part, of)), err
}

// open opens the file of a task.
func (s *Shards) open(stage string, division, part int) (*pieces.Piece, error) {
	of, err := shardStages[stage].parts(s, division)
	if err != nil {
		return nil, err
	}
	return pieces.Open(s.folder, s.run, pieceName(Task{stage, division, part}, of))
}

// with calls fn with the file of a task.
func (s *Shards) with(stage string, division, part int, fn func(p *pieces.Piece) error) error {
	p, err := s.open(stage, division, part)
	if err != nil {
		return err
	}
	return errors.Join(fn(p), p.Close())
}

// eachPiece calls fn with the file of every task of a stage, in order.
func (s *Shards) eachPiece(stage string, division int, fn func(part int, p *pieces.Piece) error) error {
	of, err := shardStages[stage].parts(s, division)
	if err != nil {
		return err
	}
	for part := range of {
		if err := s.with(stage, division, part, func(p *pieces.Piece) error { return fn(part, p) }); err != nil {
			return err
		}
	}
	return nil
}

// note reads the note of the only task of a stage.
func (s *Shards) note(stage string, division int, v any) error {
	return s.with(stage, division, 0, func(p *pieces.Piece) error { return p.Note(v) })
}
