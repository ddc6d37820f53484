package parts

import (
	"cmp"

	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/progress"
)

// twoGroups are the group that is solved and the one that is read.
type twoGroups [2]groups.Group

// Free gives their memory back.
func (t *twoGroups) Free() {
	for i := range t {
		t[i].Free()
	}
}

// pipeline takes the groups of a batch through reading, solving and committing. Solving keeps all threads busy most of
// the time; the group after the one that is solved is read beside it, and the one before it committed.
type pipeline struct {
	*Method
	spill     *groups.Spill
	solver    solve.Solver
	progress  *progress.Phase
	sum       job.Counts
	at, ahead *groups.Group // the one that is solved, and the one that is read
	read      func() error  // waits for the group being read; nil where there is none
	commit    func() error  // waits for the group being committed; nil where there is none
}

func newPipeline(m *Method, spill *groups.Spill, p *progress.Phase) (*pipeline, error) {
	rounding, err := m.Rounding(nil)
	if err != nil {
		return nil, err
	}
	for i := range m.groups {
		m.groups[i].Memory = &m.Ledger
	}
	solver := solve.Solver{Points: &m.Points, Ctx: m.Ctx, Wanted: m.Set.K, ByKeys: m.State.ByKeys(), Rounding: rounding,
		Bounds: &m.bounds, Memory: &m.Ledger}
	return &pipeline{Method: m, spill: spill, solver: solver, progress: p, at: &m.groups[0], ahead: &m.groups[1]}, nil
}

// solve solves a group and has it committed. The group next is read meanwhile, where there is one: it is solved next.
func (l *pipeline) solve(number, next int) error {
	if l.read == nil {
		l.readAhead(number)
	}
	if err := wait(&l.read); err != nil {
		return err
	}
	l.at, l.ahead = l.ahead, l.at
	if l.spill.Has(next) {
		l.readAhead(next)
	}
	d, err := l.solver.Solve(l.at, l.Steer)
	if err != nil {
		return err
	}
	if err := wait(&l.commit); err != nil {
		d.Free()
		return err
	}
	l.solver.Tighten(d)
	l.commit = job.Async(func() error {
		defer d.Free()
		return l.Draft.CommitBlocks(l.StageNumber(), uint32(number), l.solver.Blocks(d, l.stripePlaces()), d.Note)
	})
	l.sum.Add(d.Note.Counts)
	l.progress.Add(1)
	return nil
}

// readAhead begins to read a group.
func (l *pipeline) readAhead(number int) {
	into := l.ahead
	l.read = job.Async(func() error { return l.spill.Read(number, into) })
}

// wait waits for a step that is under way, if one is.
func wait(under *func() error) error {
	if *under == nil {
		return nil
	}
	err := (*under)()
	*under = nil
	return err
}

// end waits for all that is under way. It returns the first error.
func (l *pipeline) end(err error) error {
	return cmp.Or(err, wait(&l.commit), wait(&l.read))
}
