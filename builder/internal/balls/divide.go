package balls

import (
	"cmp"
	"fmt"
	"sync/atomic"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/vectors"
)

// divideBalls runs one overlapping division.
func (m *Method) divideBalls() error {
	number := m.State.Count(job.DivisionStage) + 1
	m.joins.free()
	stands, usual := m.leavesOf(number), m.Goal.OverlapOf(number)
	solve := m.solveDivision
	if m.Keyed {
		solve = m.divideKeyed
	}
	d, err := solve(number, stands)
	if err != nil {
		return err
	}
	pairs, stands, p := d.pairs, d.leaves, d.phase
	st := job.Stage{Kind: job.DivisionStage, Number: number, Requested: pairs, Evaluated: pairs}
	if stands != usual {
		st.Leaves = stands
	}
	if err := m.look(&st); err != nil {
		return err
	}
	err = m.endBallStage(st)
	p.End("division %d: each row in %d leaves, %.0f pairs a row%s", number, stands, float64(pairs)/float64(m.N()), m.SteerNote())
	return err
}

// beginDivision begins the phase of a division, whose progress counts up to rows.
func (m *Method) beginDivision(number int, rows int64) *progress.Phase {
	return m.Begin(fmt.Sprintf("division %d", number), "rows", rows)
}

// divided describes a solved division: the pairs compared, the leaves of each row, and the phase, which the
// caller ends.
type divided struct {
	pairs  int64
	leaves int
	phase  *progress.Phase
}

// solveDivision solves the leaves of a division by codes.
func (m *Method) solveDivision(number, stands int) (d divided, err error) {
	solver := &leaves.Balls{Ctx: m.Ctx, Codes: m.Codes, Found: m.found, Ordered: !m.Set.Reference && !m.opts.whole()}
	across, err := m.parts.across()
	if err != nil {
		return d, err
	}
	balls := m.Balls(cmp.Or(m.Lead, m.Codes), stands)
	balls.Seed = m.divisionSeed()
	if across {
		solver.Part = m.parts.of
		if m.keysKnown() {
			balls.LeafSize, balls.Looks = m.parts.leafSize(), partedLooks
		}
	}
	work := solver.Work(balls, uint32(number))
	d.leaves, d.phase = stands, m.beginDivision(number, work)
	solver.Progress = d.phase.Add
	if number == 1 && stands > job.Overlap && m.opts.Known == nil {
		solver.Settle = func() (int, error) {
			d.leaves, err = m.leavesAfterStretches(stands)
			d.phase.Expect(work - int64(stands-d.leaves)*int64(m.N()))
			return d.leaves, err
		}
	}
	d.pairs, err = solver.Solve(balls, uint32(number))
	return d, err
}

// divideKeyed solves a division by keys: as many divisions by hyperplanes as a row has leaves.
func (m *Method) divideKeyed(number, stands int) (d divided, err error) {
	d.leaves, d.phase = stands, m.beginDivision(number, int64(m.N())*int64(stands))
	var pairs atomic.Int64
	for i := range stands {
		tree := m.Tree(m.Rows, m.Norms, m.Order, nil)
		tree.LeafSize, tree.Seed = m.KeyedLeaf(), m.divisionSeed()
		cut, err := tree.Divide(m.Ctx, uint32(number*job.Overlap+i))
		if err != nil {
			return d, err
		}
		if err := m.solveKeyed(cut, &pairs, d.phase); err != nil {
			return d, err
		}
	}
	d.pairs = pairs.Load()
	return d, nil
}

func (m *Method) solveKeyed(divided *division.Leaves, pairs *atomic.Int64, p *progress.Phase) error {
	return vectors.Ranges(m.Job.Threads, divided.Len(), 1, func() func(from, to int) error {
		solve := leaves.Solver(&m.Points, m.found)
		return func(i, _ int) error {
			leaf := divided.Leaf(i)
			if err := solve(leaf); err != nil {
				return err
			}
			pairs.Add(int64(len(leaf)) * int64(len(leaf)-1) / 2)
			p.Add(len(leaf))
			return m.Ctx.Err()
		}
	})
}
