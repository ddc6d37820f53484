package builder

import (
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/job"
)

// pipeline takes the groups of a batch through reading, solving and committing. Solving keeps
// all threads busy; a commit waits for the disk most of the time, beside the next group.
type pipeline struct {
	*partsMethod
	spill    *groups.Spill
	solver   groupSolver
	progress *phase
	sum      job.Counts
	commit   func() error // waits for the group being committed; nil where there is none
}

func newPipeline(m *partsMethod, spill *groups.Spill, p *phase) (*pipeline, error) {
	rounding, err := m.Rounding(nil)
	if err != nil {
		return nil, err
	}
	m.group.Memory = &m.Ledger
	solver := groupSolver{Points: &m.Points, ctx: m.Ctx, wanted: m.opts.K, byKeys: m.State.ByKeys(), rounding: rounding,
		bounds: &m.bounds, memory: &m.Ledger}
	return &pipeline{partsMethod: m, spill: spill, solver: solver, progress: p}, nil
}

// solve solves a group and has it committed. The group next comes from disk meanwhile.
func (l *pipeline) solve(number, next int) error {
	if err := l.spill.Read(number, &l.group); err != nil {
		return err
	}
	come := job.Async(func() error { return l.spill.Expect(next) })
	defer come()
	d, err := l.solver.solve(&l.group, l.Steer)
	if err != nil {
		return err
	}
	if err := l.wait(); err != nil {
		d.free()
		return err
	}
	l.commit = job.Async(func() error {
		defer d.free()
		return l.Draft.CommitBlocks(l.StageNumber(), uint32(number), l.solver.blocks(d, l.stripePlaces()), d.note)
	})
	l.sum.Add(d.note.Counts)
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

// end waits for all that is under way. It returns the first error.
func (l *pipeline) end(err error) error {
	if commitErr := l.wait(); err == nil {
		err = commitErr
	}
	return err
}
