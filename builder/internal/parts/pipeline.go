package parts

import (
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/progress"
)

// pipeline reads, solves and commits the groups of a batch. Solving keeps all threads busy; a commit mostly
// waits for the disk, while the next group is solved.
type pipeline struct {
	*Method
	spill    *groups.Spill
	solver   solve.Solver
	progress *progress.Phase
	sum      job.Counts
	commit   func() error // waits for the group being committed; nil if there is none
}

func newPipeline(m *Method, spill *groups.Spill, p *progress.Phase) (*pipeline, error) {
	rounding, err := m.Rounding(nil)
	if err != nil {
		return nil, err
	}
	m.group.Memory = &m.Ledger
	solver := solve.Solver{Points: &m.Points, Ctx: m.Ctx, Wanted: m.Set.K, ByKeys: m.State.ByKeys(), Rounding: rounding,
		Bounds: &m.bounds, Memory: &m.Ledger}
	return &pipeline{Method: m, spill: spill, solver: solver, progress: p}, nil
}

// solve solves a group and starts its commit. Meanwhile the next group is read from disk.
func (l *pipeline) solve(number, next int) error {
	if err := l.spill.Read(number, &l.group); err != nil {
		return err
	}
	come := job.Async(func() error { return l.spill.Expect(next) })
	defer come()
	d, err := l.solver.Solve(&l.group, l.Steer)
	if err != nil {
		return err
	}
	if err := l.wait(); err != nil {
		d.Free()
		return err
	}
	l.solver.Tighten(d)
	l.commit = job.Async(func() error {
		defer d.Free()
		if err := l.Draft.CommitBlocks(l.StageNumber(), uint32(number), l.solver.Blocks(d, l.stripePlaces()), d.Note); err != nil {
			return err
		}
		l.Keep()
		return nil
	})
	l.sum.Add(d.Note.Counts)
	l.progress.Add(1)
	return nil
}

// wait waits for the group that is being committed.
func (l *pipeline) wait() error {
	if l.commit == nil {
		return nil
	}
	err := l.commit()
	l.commit = nil
	return err
}

// end waits for all work in progress. It returns the first error.
func (l *pipeline) end(err error) error {
	if commitErr := l.wait(); err == nil {
		err = commitErr
	}
	return err
}
