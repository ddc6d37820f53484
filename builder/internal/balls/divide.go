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
	pairs, p, err := solve(number, stands)
	if err != nil {
		return err
	}
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

// beginDivision begins the phase of a division, which tells of so many rows.
func (m *Method) beginDivision(number int, rows int64) *progress.Phase {
	return m.Begin(fmt.Sprintf("division %d", number), "rows", rows)
}

// solveDivision solves the leaves of a division, by codes, in a phase that is to be ended.
func (m *Method) solveDivision(number, stands int) (pairs int64, p *progress.Phase, err error) {
	solver := &leaves.Balls{Ctx: m.Ctx, Codes: m.Codes, Found: m.found, Ordered: !m.Set.Reference && !m.opts.whole()}
	across, err := m.parts.across()
	if err != nil {
		return 0, nil, err
	}
	balls := m.Balls(cmp.Or(m.Lead, m.Codes), stands)
	balls.Seed = m.divisionSeed()
	if across {
		solver.Part = m.parts.of
		if m.keysKnown() {
			balls.LeafSize, balls.Looks = m.parts.leafSize(), partedLooks
		}
	}
	p = m.beginDivision(number, solver.Work(balls, uint32(number)))
	solver.Progress = p.Add
	pairs, err = solver.Solve(balls, uint32(number))
	return pairs, p, err
}

// divideKeyed makes a division by hyperplanes for each leaf that a row is to stand in, solves
// the leaves, and returns how many pairs were compared.
func (m *Method) divideKeyed(number, stands int) (int64, *progress.Phase, error) {
	p := m.beginDivision(number, int64(m.N())*int64(stands))
	var pairs atomic.Int64
	for i := range stands {
		tree := m.Tree(m.Rows, m.Norms, m.Order, nil)
		tree.LeafSize, tree.Seed = m.KeyedLeaf(), m.divisionSeed()
		divided, err := tree.Divide(m.Ctx, uint32(number*job.Overlap+i))
		if err != nil {
			return 0, nil, err
		}
		if err := m.solveKeyed(divided, &pairs, p); err != nil {
			return 0, nil, err
		}
	}
	return pairs.Load(), p, nil
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
